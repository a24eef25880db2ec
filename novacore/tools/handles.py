"""Opening a file that was judged by its real path, and no other, whatever moved meanwhile.

On POSIX every folder from the anchor down is opened by descriptor without following links; where
that does not exist, the handle is compared with its real path after it was opened.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from novacore.errors import Denied

MAX_READ_BYTES = 256 * 1024 * 1024
"""Larger files are refused rather than loaded whole."""

_WALKS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_EXTRA = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | _EXTRA
# O_NONBLOCK: a pipe that somebody put in the file's place must not hang the reader.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _EXTRA
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _EXTRA


def swapped(path: Path) -> Denied:
    """The refusal for a path that is no longer what was checked."""
    return Denied(f"{path} became a link after it was checked; look at it and try again.")


def read_regular(anchor: Path, path: Path) -> bytes:
    """The bytes of the regular file ``path`` below ``anchor``, both real paths.

    Raises ``Denied`` when a part of the path became a link, or the file is no regular one; OSError
    as ``open`` does.
    """
    with _parent(anchor, path, create=False) as folder:
        fd = _open(path, _READ, folder)
        try:
            _check_regular(path, os.fstat(fd))
        except BaseException:
            os.close(fd)
            raise
        with os.fdopen(fd, "rb") as file:
            if folder is None and not _is_still(path, os.fstat(fd)):
                raise swapped(path)
            return file.read(MAX_READ_BYTES + 1)


def write_regular(anchor: Path, path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` in one step, keeping its mode; missing folders are made.

    Raises ``Denied`` as ``read_regular`` does, OSError as ``open`` does. Nothing changes on error.
    """
    with _parent(anchor, path, create=True) as folder:
        old = _present(path, folder)
        if old is not None and not os.access(_name(path, folder), os.W_OK, dir_fd=folder):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        temporary = path.with_name(f".novacore-{secrets.token_hex(8)}.tmp")
        try:
            _write_new(temporary, data, old, folder)
            _replace(temporary, path, folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(_name(temporary, folder), dir_fd=folder)
            raise


@contextlib.contextmanager
def _parent(anchor: Path, path: Path, *, create: bool) -> Iterator[int | None]:
    """The folder of ``path`` as a descriptor, or None where folders cannot be walked that way."""
    if not _WALKS:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        if Path(os.path.realpath(path.parent)) != path.parent:
            raise swapped(path.parent)
        yield None
        return
    parts = path.relative_to(anchor).parts
    if not parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    here = os.open(anchor, _FOLDER)
    try:
        for depth, name in enumerate(parts[:-1], 1):
            below = _enter(anchor.joinpath(*parts[:depth]), name, here, create=create)
            os.close(here)
            here = below
        yield here
    finally:
        os.close(here)


def _enter(path: Path, name: str, folder: int, *, create: bool) -> int:
    if create:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    return _open(path, _FOLDER, folder)


def _open(path: Path, flags: int, folder: int | None) -> int:
    try:
        return os.open(_name(path, folder), flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK) and _is_link(path, folder):
            raise swapped(path) from None
        if error.errno == errno.ENXIO:  # A socket.
            raise _special(path) from None
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from None


def _name(path: Path, folder: int | None) -> str:
    return str(path) if folder is None else path.name


def _is_link(path: Path, folder: int | None) -> bool:
    try:
        found = os.stat(_name(path, folder), dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISLNK(found.st_mode)


def _present(path: Path, folder: int | None) -> os.stat_result | None:
    try:
        found = os.stat(_name(path, folder), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise swapped(path)
    _check_regular(path, found)
    return found


def _check_regular(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise _special(path)
    if found.st_size > MAX_READ_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_READ_BYTES:,} bytes", str(path))


def _special(path: Path) -> Denied:
    return Denied(f"{path} is a pipe, socket or device; only regular files are opened.")


def _is_still(path: Path, opened: os.stat_result) -> bool:
    return Path(os.path.realpath(path)) == path and os.path.samestat(path.stat(), opened)


def _write_new(path: Path, data: bytes, old: os.stat_result | None, folder: int | None) -> None:
    fd = os.open(_name(path, folder), _NEW, 0o666 if old is None else 0o600, dir_fd=folder)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(fd)
        if old is not None:
            _keep_owner_and_mode(fd, old)


def _keep_owner_and_mode(fd: int, old: os.stat_result) -> None:
    if hasattr(os, "fchown") and old.st_uid != os.geteuid():
        # Only root may give a file back to its owner; anyone else becomes its owner.
        with contextlib.suppress(PermissionError):
            os.fchown(fd, old.st_uid, old.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(old.st_mode))


def _replace(source: Path, target: Path, folder: int | None) -> None:
    os.replace(_name(source, folder), _name(target, folder), src_dir_fd=folder, dst_dir_fd=folder)
