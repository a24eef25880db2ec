"""Vocabularies: taken when their file is genuine, installed by hash, never downloaded."""

from __future__ import annotations

import base64
import hashlib

import pytest

from novacore import errors
from novacore.tokens import (
    O200K,
    TokenCounter,
    Vocabulary,
    estimate,
    find_vocabulary,
    install_vocabulary,
    vocabulary_counter,
)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A vocabulary of all bytes and two merges, in a file that is installed nowhere yet."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "none"))
    tokens = [bytes([i]) for i in range(256)] + [b"th", b"the"]
    lines = [base64.b64encode(t) + b" %d" % i for i, t in enumerate(tokens)]
    file = tmp_path / "small.tiktoken"
    file.write_bytes(b"\n".join(lines) + b"\n")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return file, Vocabulary(name="small", key="k", sha256=digest, pattern=O200K.pattern)


def test_a_genuine_file_is_installed_found_and_counts(small, tmp_path):
    file, vocabulary = small
    folder = tmp_path / "vocabularies"
    assert find_vocabulary(folder, vocabulary=vocabulary) is None
    installed = install_vocabulary(file, folder, vocabulary=vocabulary)
    assert find_vocabulary(folder, vocabulary=vocabulary) == installed
    count = vocabulary_counter(installed, vocabulary=vocabulary)
    assert count("") == 0
    assert count("the") == 1
    assert count("the the") == 3
    counter = TokenCounter("gpt-6", base=count, name="small")
    assert counter.count("the the") == 3
    assert counter.method.startswith("small x 1.00")


def test_tiktokens_own_cache_is_used_when_it_holds_the_file(small, tmp_path, monkeypatch):
    file, vocabulary = small
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / "k").write_bytes(file.read_bytes())
    assert find_vocabulary(vocabulary=vocabulary) == tmp_path / "k"
    (tmp_path / "k").write_bytes(b"damaged")
    assert find_vocabulary(vocabulary=vocabulary) is None


def test_any_other_file_is_refused(small, tmp_path):
    file, _ = small
    with pytest.raises(errors.UsageError, match="SHA-256"):
        install_vocabulary(file, tmp_path / "vocabularies")
    with pytest.raises(errors.UsageError, match="No such file"):
        install_vocabulary(tmp_path / "absent", tmp_path / "vocabularies")
    assert not (tmp_path / "vocabularies").exists()


def test_hostile_texts_are_counted_in_bounded_pieces(small):
    file, vocabulary = small
    count = vocabulary_counter(file, vocabulary=vocabulary)
    assert count("x" * 3_000_000) == 3_000_000
    assert count("<|endoftext|>") > 1


def test_the_estimate_is_near_the_real_vocabulary_where_it_is_at_hand():
    path = find_vocabulary()
    if path is None:
        pytest.skip("o200k_base is not at hand offline")
    count = vocabulary_counter(path)
    prose = "The reader keeps a small table of the names that it has seen so far. " * 40
    assert estimate(prose) == pytest.approx(count(prose), rel=0.35)
