"""An exact vocabulary where its file is at hand. Nothing here ever opens a connection.

tiktoken's own loader downloads what it misses, so the file is read and checked here, and only
the encoder is tiktoken's.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from novacore import errors
from novacore.tokens.sampling import sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A byte-pair vocabulary: its file's name in tiktoken's cache, its SHA-256, its splitter."""

    name: str
    key: str
    sha256: str
    pattern: str


# Address, hash and pattern: tiktoken_ext/openai_public.py; the key is the SHA-1 of the address.
O200K = Vocabulary(
    name="o200k_base",
    key="fb374d419588a4632f3f557e76b4b70aebbca790",
    sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    pattern="|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
)


def find_vocabulary(*folders: Path, vocabulary: Vocabulary = O200K) -> Path | None:
    """The vocabulary's file, genuine by its hash, in ``folders`` or in tiktoken's own cache."""
    for folder in (*folders, *_tiktoken_folders()):
        path = folder / vocabulary.key
        if _is_genuine(path, vocabulary):
            return path
    return None


def _is_genuine(path: Path, vocabulary: Vocabulary) -> bool:
    try:
        return path.is_file() and _digest(path) == vocabulary.sha256
    except OSError:
        # Unreadable is the same as absent: tokens are estimated then.
        return False


def counter_at_hand(*folders: Path) -> tuple[Callable[[str], int], str] | None:
    """A counter over the vocabulary in ``folders`` or in tiktoken's cache, and its name."""
    path = find_vocabulary(*folders)
    return None if path is None else (vocabulary_counter(path), O200K.name)


def install_vocabulary(file: Path, folder: Path, *, vocabulary: Vocabulary = O200K) -> Path:
    """Copy a vocabulary file into ``folder``; raises ``errors.UsageError`` for any other file."""
    if not file.is_file():
        raise errors.UsageError(f"No such file: {file}")
    if _digest(file) != vocabulary.sha256:
        raise errors.UsageError(
            f"{file} is not {vocabulary.name}.tiktoken (its SHA-256 differs from "
            f"{vocabulary.sha256[:12]}...); download it again"
        )
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / vocabulary.key
    half = target.with_suffix(".part")
    half.write_bytes(file.read_bytes())
    half.replace(target)
    return target


def vocabulary_counter(path: Path, *, vocabulary: Vocabulary = O200K) -> Callable[[str], int]:
    """A counter over the vocabulary at ``path`` (half a second to load): ``TokenCounter.base``.

    Large texts are sampled like in ``estimate``.
    """
    import tiktoken

    encoding = tiktoken.Encoding(
        vocabulary.name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=_ranks(path.read_bytes()),
        special_tokens={},
    )

    def count(text: str) -> int:
        part = sample(text)
        tokens = sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(part))
        return -(-tokens * len(text) // len(part)) if text else 0

    return count


def _ranks(data: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in data.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _pieces(text: str, size: int = 2_000) -> Iterator[str]:
    # The encoder takes quadratic time over one long run without a space.
    return (text[i : i + size] for i in range(0, len(text), size))


def _tiktoken_folders() -> list[Path]:
    import tempfile

    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if name in os.environ:
            return [Path(os.environ[name])] if os.environ[name] else []
    return [Path(tempfile.gettempdir()) / "data-gym-cache"]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
