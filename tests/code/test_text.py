"""Bytes, lines and encodings."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novacore.code import text


@given(st.binary(max_size=400))
def test_any_bytes_come_back(data):
    decoded = text.decode(data)
    assert text.encode(decoded, decoded.text) == data


@given(st.text(max_size=200), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_marked_text_comes_back(content, encoding):
    # A UTF-16 mark and then NUL is, byte for byte, the mark of UTF-32.
    assume(not content.startswith("\0"))
    boms = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE}
    bom = boms.get(encoding, codecs.BOM_UTF16_BE)
    data = bom + content.encode(encoding)
    decoded = text.decode(data)
    assert (decoded.encoding, decoded.text, decoded.bom) == (encoding, content, bom)
    assert text.encode(decoded, content) == data


@given(st.text(alphabet="ab\n\r\f\u2028é", max_size=60), st.integers(1, 20))
def test_lines_end_at_line_feeds_alone(content, line):
    data = content.encode()
    lines = text.lines_of(content)
    assert "".join(lines) == content
    assert text.line_count(data) == len(lines)
    start = text.line_start(data, line)
    assert data[:start] == "".join(lines[: line - 1]).encode()
    if start < len(data):
        assert text.line_at(data, start) == line


@given(st.text(max_size=60), st.integers(0, 300))
def test_characters_are_never_cut(content, offset):
    data = content.encode()
    start = text.char_start(data, offset)
    data[:start].decode()
    assert max(0, min(offset, len(data)) - 3) <= start <= offset


@given(st.text(alphabet="aé日\n", max_size=60))
def test_offsets_lead_to_the_files_own_bytes(content):
    data = codecs.BOM_UTF16_LE + content.encode("utf-16-le")
    decoded = text.decode(data)
    source = text.parsed_bytes(data, decoded)
    to_file = text.file_offsets(source, decoded)
    for index in range(len(content) + 1):
        offset = to_file(len(content[:index].encode()))
        assert data[offset:].decode("utf-16-le") == content[index:]


def test_a_coding_line_counts_only_where_it_must():
    latin = b"# coding: latin-1\nx = '\xe9'\n"
    assert text.decode(latin).encoding == "latin-1"
    assert text.decode(latin.replace(b"latin-1", b"no-such")).encoding == "unknown"
    assert text.decode(b"\n\n" + latin).encoding == "unknown"
    assert text.decode("# coding: latin-1\nx = 'é'\n".encode()).encoding == "utf-8"


@pytest.mark.parametrize("codec", ["unicode_escape", "utf-7", "rot13", "hex", "idna"])
def test_a_coding_line_cannot_name_a_trick(codec):
    data = f"# coding: {codec}\nx = '\\q".encode() + b"\xff'\n"
    assert text.decode(data).encoding == "unknown"


def test_binaries_are_told_by_a_nul_in_the_first_8_kib():
    assert text.is_binary(b"abc\0def")
    assert text.is_binary(codecs.BOM_UTF8 + b"\0")
    assert not text.is_binary(b"a" * 8192 + b"\0")
    assert not text.is_binary(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le"))


def test_a_version_is_of_every_byte():
    assert text.version_of(b"a\n") != text.version_of(b"a\r\n")
    assert len(text.version_of(b"")) == 16
