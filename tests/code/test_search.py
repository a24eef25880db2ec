"""Text and symbol search over trees."""

from __future__ import annotations

import shutil
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.code.find import find
from novacore.code.literals import required_literal
from novacore.code.programs import find_program
from novacore.code.ripgrep import MIN_FILES
from novacore.code.search import search
from novacore.code.walk import walk


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "proj"

    def make(**files):
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return make


def files_of(root):
    return list(walk(root, allowed=lambda real: True, binaries=True))


def hits(root, pattern, **options):
    return search(root, pattern, files=files_of(root), **options)


def test_hits_have_places_and_context(project):
    root = project(**{"a.py": "one\ntwo\nthree\nfour two two\n", "b.py": "x\r\ntwo\r\n"})
    found = hits(root, "two")
    places = [(hit.path, hit.line, hit.column) for hit in found.hits]
    assert places == [("a.py", 2, 1), ("a.py", 4, 6), ("b.py", 2, 1)]
    assert (found.status, found.total, found.files) == ("ok", 3, 2)
    around = hits(root, "three", context=2).hits[0]
    assert around.text == "one\ntwo\nthree\nfour two two"
    assert hits(root, "two$").total == 3


def test_patterns_of_all_kinds(project):
    root = project(**{"a.txt": "Tab\tHere\nfoo(bar)\ncafé Ünï\nlast"})
    assert hits(root, r"foo\(b.r\)").total == 1
    assert hits(root, "foo(bar)", regex=False).total == 1
    assert hits(root, "TAB", ignore_case=True).total == 1
    assert hits(root, "ünï", ignore_case=True).total == 1
    assert hits(root, r"Here\nfoo").hits[0].line == 1
    assert hits(root, "^").total == 4
    wrong = hits(root, "foo(")
    assert wrong.status == "failed"
    assert "regex=false" in wrong.reason
    assert hits(root, "nothing").status == "not_found"
    assert "in 1 files" in hits(root, "nothing").reason


def test_answers_are_bounded(project):
    root = project(**{"min.js": "x" * 300_000 + "NEEDLE" + "y" * 300_000, "b.txt": "a\n" * 20_000})
    (hit,) = hits(root, "NEEDLE").hits
    assert len(hit.text) < 300
    assert "NEEDLE" in hit.text
    many = hits(root, "^a", limit=10)
    assert (many.status, len(many.hits)) == ("too_many", 10)
    assert "at least 5,000" in many.reason


def test_binaries_are_skipped_and_other_encodings_are_not(project):
    root = project(**{
        "a.bin": b"needle\0", "b.txt": "needle é".encode("utf-16"),
        "c.py": "# coding: latin-1\n# needle é\n".encode("latin-1"), "d.txt": b"needle \xff\n",
    })  # fmt: skip
    assert [hit.path for hit in hits(root, "needle").hits] == ["b.txt", "c.py", "d.txt"]
    assert [hit.path for hit in hits(root, "needle é").hits] == ["b.txt", "c.py"]


def test_a_catastrophic_pattern_ends(project):
    root = project(**{"a.txt": "a" * 60 + "!"})
    started = time.monotonic()
    found = hits(root, r"(a|a|aa)+$", seconds=0.5)
    assert time.monotonic() - started < 5
    assert found.status == "failed"
    assert "simpler" in found.reason


ATOMS = st.sampled_from(
    ["ab", "b", r"\.", ".", "c?", "d*", "e+", "f{0}", "[ab]", "(g)", r"\w", "|"]
)
LINES = st.text(alphabet="abcdefg.", max_size=10)


@given(st.lists(ATOMS, max_size=5).map("".join), LINES)
def test_a_required_text_is_in_every_match(pattern, line):
    import regex

    match = regex.search(pattern, line)
    assert match is None or required_literal(pattern) in match.group()


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"def parse\(", "def parse("),
        ("a|b", ""),
        (r"\x41bc", ""),
        ("foo{e<=1}", ""),
        ("(?i)abc", ""),
        ("abcd*e", "abc"),
        ("[xyz]long_name", "long_name"),
        ("", ""),
    ],
)
def test_required_texts(pattern, literal):
    assert required_literal(pattern) == literal


FAKE_RG = """#!/bin/sh
echo "$@" > {log}
while [ "$1" != "-e" ]; do shift; done
literal=$2
shift 3
grep -lZaF -e "$literal" -- "$@"
"""


@pytest.fixture
def many(project):
    return project(**{f"src/f{n:03}.py": f"value_{n} = {n}\n" for n in range(MIN_FILES + 50)})


def script(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rg").write_text(text)
    (folder / "rg").chmod(0o755)
    return str(folder)


def test_ripgrep_changes_no_answer(many, tmp_path, monkeypatch):
    """With a real one where it is installed, else with a script that keeps its interface."""
    patterns = [r"value_1\d = ", "value_77", "nothing_here", "VALUE_7"]
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    own = [hits(many, pattern, ignore_case=pattern.isupper()) for pattern in patterns]
    real = shutil.which("rg", path="/usr/local/bin:/usr/bin:/bin")
    log = tmp_path / "log"
    folder = real.rpartition("/")[0] if real else script(tmp_path / "bin", FAKE_RG.format(log=log))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    with_rg = [hits(many, pattern) for pattern in patterns[:3]]
    assert with_rg == own[:3]
    if not real:
        flags = log.read_text().split(" -e ")[0].split()
        assert {"--no-config", "--no-require-git"} <= set(flags)


@pytest.mark.parametrize("place", ["", "src/bin", "link"])
def test_no_program_of_the_workspace_runs(many, tmp_path, monkeypatch, place):
    ran = tmp_path / "ran"
    hostile = script(many / "src/bin", f"#!/bin/sh\ntouch {ran}\n")
    (tmp_path / "link").symlink_to(hostile)
    entries = {"": "", "src/bin": hostile, "link": str(tmp_path / "link")}
    monkeypatch.setenv("PATH", entries[place])
    monkeypatch.chdir(many / "src/bin")
    assert find_program("rg", (many,)) is None
    assert hits(many, "value_77").total == 1
    assert not ran.exists()


def test_find_orders_and_names(project):
    root = project(**{
        "a.py": "class Parser:\n    def run(self): pass\n",
        "b.py": "def run(): pass\nclass Other:\n    class Parser:\n        def run(self): pass\n",
        "c.txt": "run", "d.ts": "export const run = () => 1;\n",
    })  # fmt: skip
    files = files_of(root)
    assert [(hit.path, hit.name_path) for hit in find("run", files).hits] == [
        ("b.py", "/run"), ("d.ts", "run"), ("a.py", "Parser/run"), ("b.py", "Other/Parser/run"),
    ]  # fmt: skip
    assert [hit.path for hit in find("Parser.run", files).hits] == ["a.py", "b.py"]
    assert find("run", files, kind="method").total == 2
    assert find("/run", files).total == 2
    few = find("run", files, limit=2)
    assert (few.status, len(few.hits), few.total) == ("too_many", 2, 4)
    assert "narrow" in few.reason
    assert find("  ", files).status == "failed"


def test_find_offers_the_nearest_names(project):
    root = project(**{"a.py": "def parse_config(): pass\ndef other(): pass\n", "b.py": "x = 1\n"})
    found = find("parse_confg", files_of(root))
    assert found.status == "not_found"
    assert found.hits[0].name_path == "parse_config"
    wrong_parent = find("Config.other", files_of(root))
    assert (wrong_parent.status, wrong_parent.hits[0].name_path) == ("not_found", "other")
    assert find("qqqqqqqq", files_of(root)).hits == ()


def test_find_in_3000_files_parses_few(project):
    root = project(**{f"p{n // 100}/m{n}.py": f"def f{n}(): pass\n" * 20 for n in range(3000)})
    files = files_of(root)
    assert len(files) == 3000
    assert find("f1234", files, limit=3).total == 20
    late = find("f1234", files, seconds=0)
    assert late.status == "not_found"
    assert "stopped for time" in late.reason
