"""Outlines and name paths of any source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.code import namepath
from novacore.code.outline import outline
from novacore.code.reads import Target, read

NAMES = st.text(alphabet="ab/\\[]01.#: é", min_size=1, max_size=8)
SEGMENTS = st.builds(namepath.Segment, NAMES, st.none() | st.integers(0, 99))


@given(st.lists(SEGMENTS, min_size=1, max_size=4), st.booleans())
def test_a_rendered_path_parses_to_itself(segments, anchored):
    path = namepath.NamePath(tuple(segments), anchored)
    assert namepath.parse(namepath.render(path)) == path


MEMBERS = st.recursive(
    st.sampled_from(["a", "b", "c"]).map(lambda name: (name, ())),
    lambda inner: st.tuples(st.sampled_from(["a", "b", "A", "B"]), st.lists(inner, max_size=4)),
    max_leaves=15,
)


def _python(members, depth=0):
    pad = "    " * depth
    for name, inner in members:
        keyword = "class {}:" if name.isupper() else "def {}(self):"
        yield f"{pad}@deco\n{pad}{keyword.format(name)}"
        yield from _python(inner, depth + 1) if inner else [f"{pad}    pass"]


@settings(max_examples=60)
@given(st.lists(MEMBERS, max_size=5))
def test_every_printed_path_reads_back_to_its_symbol(members):
    data = "\n".join(_python(members)).encode()
    for symbol in outline("m.py", data).symbols:
        result = read("m.py", data, Target(symbol=symbol.name_path))
        assert (result.status, result.range, result.name_path) == (
            "ok", symbol.range, symbol.name_path
        )  # fmt: skip
        assert data[symbol.range.start_byte :].startswith(b"@deco")


KEYS = st.lists(st.text(alphabet="ab/[]1\\ .é", max_size=5), min_size=1, max_size=6)


@settings(max_examples=60)
@given(KEYS)
def test_quoted_names_read_back(keys):
    body = "\n".join(f"  {js_string(key)}() {{}}" for key in keys)
    data = f"class A {{\n{body}\n}}\nfunction a() {{}}\n".encode()
    symbols = outline("m.ts", data).symbols
    assert len(symbols) == len(keys) + 2
    for symbol in symbols:
        assert read("m.ts", data, Target(symbol=symbol.name_path)).range == symbol.range


def js_string(key):
    return '"' + key.replace("\\", "\\\\") + '"'


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["m.py", "m.ts", "m.tsx", "m.js", "m.txt"]))
def test_any_bytes_have_an_outline(data, path):
    found = outline(path, data)
    assert found.status in ("ok", "unsupported", "unreadable")
    for symbol in found.symbols:
        assert 0 <= symbol.range.start_byte <= symbol.range.end_byte <= len(data)
        assert 1 <= symbol.range.start_line <= symbol.range.end_line <= max(found.lines, 1)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("A.run", ["A/run"]),
        ("A::run", ["A/run"]),
        ("A#run", ["A/run"]),
        ("(*A).run", ["A/run"]),
        ("A/run", ["A/run"]),
        ("A.run()", ["A/run"]),
        ("run", ["/run", "A/run"]),
        ("/run", ["/run"]),
        ("run[0]", ["/run", "A/run"]),
        ("run[1]", []),
        ("", []),
        ("/", []),
    ],
)
def test_other_notations_are_accepted(query, found):
    data = b"class A:\n    def run(self): pass\n\ndef run(): pass\n"
    matches = namepath.match(query, outline("m.py", data).symbols)
    assert sorted(s.name_path for s in matches) == found


def test_symbols_of_javascript_values():
    source = (
        "module.exports = function main() {};\n"
        "exports.foo = () => 1;\n"
        "const { a, b } = require('x');\n"
        "for (let i = 0; i < 3; i++) { let q = 1; }\n"
        "const X = class { #p() {} static s = 1; f = () => 2; };\n"
        "app.get('/', { handler: () => 1 });\n"
        "let u = 1, v = function () {};\n"
        "export default { data() { return 1; } };\n"
    )
    found = {s.name_path: s.kind for s in outline("m.js", source.encode()).symbols}
    assert found == {
        "module.exports": "function", "exports.foo": "function", "X": "class", "X/#p": "method",
        "X/f": "function", "u": "variable", "v": "function", "default": "variable",
        "default/data": "method",
    }  # fmt: skip


def test_constants_are_symbols_outside_functions_only():
    source = b"MAX = 1\nlower = 2\n\ndef f():\n    LOCAL = 3\n\nclass A:\n    LIMIT: int = 4\n"
    found = {s.name_path: s.kind for s in outline("m.py", source).symbols}
    assert found == {"MAX": "constant", "f": "function", "A": "class", "A/LIMIT": "constant"}


def test_form_feeds_and_line_separators_do_not_shift_lines():
    source = "x = 1\f\ny = '\u2028'\r\n\x0bdef f():\n    pass\n".encode()
    assert outline("m.py", source).symbols[0].range.start_line == 3


def test_bounds_of_size_time_and_depth():
    assert outline("m.py", b"x = 1\n" * 200_000).status == "too_large"
    deep = "".join(f"{' ' * n}def f{n}():\n" for n in range(60)).encode() + b" " * 60 + b"pass\n"
    assert max(s.depth for s in outline("m.py", deep).symbols) < 40
    nested = b"function a(){" * 1_000 + b"}" * 1_000
    assert outline("m.js", nested).status in ("ok", "too_large")


def test_generated_and_minified_files_are_flagged():
    assert outline("m.py", b"# @generated by protoc\n").generated
    assert outline("m.min.js", b"var a=1").minified
    assert outline("m.js", b"var a=1;" * 1000).minified
    assert not outline("m.js", b"var a=1;\n" * 1000).minified


def test_broken_code_keeps_names_that_lines_show():
    source = (
        b"class A:\n    def ok(self):\n        return 1\n\nx = ((((\ndef late():\n    return 2\n"
    )
    found = outline("m.py", source)
    late = next(s for s in found.symbols if s.name == "late")
    assert found.partial
    assert late.approximate
    assert (late.range.start_line, late.range.end_line) == (6, 7)
