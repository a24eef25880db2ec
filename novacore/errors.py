"""Every error that NovaCore raises on purpose.

* NovaCoreError                 exit code 1
  + UsageError                  exit code 2: the words of the call are wrong
    - ConfigError               a configuration file or key is wrong
  + StoppedError                exit code 3: a limit or a refusal ended the turn
    - LimitReached              step or cost limit
    - Denied                    a person or a rule said no
    - PinnedOverflow            what must be in the window does not fit
  + StoreError                  a file of the state folder
    - DiskRefused               the disk is full, read-only or forbidden
    - SessionNotFound
    - ArtifactNotFound          never there, removed by retention, or dropped from memory
    - SessionLocked             another process writes this session
    - NewerLog                  written by a later release
  + ModelError                  a provider's answer, or the lack of one
    - UnknownModel
    - BadCredentials
    - Unreachable               no connection, or it broke before anything was shown
    - Busy                      429, 529, overloaded; ``retry_after`` seconds
    - TooLong                   the prompt is over the window; ``window`` when it is named
    - BadRequest                a 400 that may name a place: ``message_index``, ``block_index``
    - StreamCut                 broke after something was shown
  + PluginError
    - PluginRefused             a plugin that could not be registered
    - ContractError             an answer that its hook's contract forbids
    - RequiredPluginFailed      exit code 3: ``required`` or ``on_fault = "refuse"``

Every message is one line that says what to do.
"""

from __future__ import annotations


class NovaCoreError(Exception):
    """The root. ``str(error)`` is one line for a person."""

    exit_code = 1


class UsageError(NovaCoreError):
    """The words of the call are wrong."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration file or key is wrong."""


class StoppedError(NovaCoreError):
    """A limit or a refusal ended the turn."""

    exit_code = 3


class LimitReached(StoppedError):
    """The step or cost limit."""


class Denied(StoppedError):
    """A person or a rule said no."""


class PinnedOverflow(StoppedError):
    """What must be in the window does not fit; the message says which items."""


class StoreError(NovaCoreError):
    """A file of the state folder."""


class DiskRefused(StoreError):
    """The disk is full, read-only or forbidden. ``reason`` is the short form, e.g. ``ENOSPC``."""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class SessionNotFound(StoreError):
    """No session of that id."""


class ArtifactNotFound(StoreError):
    """No text is kept under that name: never there, removed by retention, or dropped."""


class SessionLocked(StoreError):
    """Another process writes this session."""


class NewerLog(StoreError):
    """The log was written by a later release."""


class ModelError(NovaCoreError):
    """A provider's answer, or the lack of one. ``shown``: part of the answer had come already."""

    def __init__(self, message: str, *, shown: bool = False) -> None:
        super().__init__(message)
        self.shown = shown


class UnknownModel(ModelError):
    """No such model at this endpoint."""


class BadCredentials(ModelError):
    """The key is missing or refused."""


class Unreachable(ModelError):
    """No connection to the provider."""


class Busy(ModelError):
    """The provider asks to come back later."""

    def __init__(
        self, message: str, *, shown: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message, shown=shown)
        self.retry_after = retry_after


class TooLong(ModelError):
    """The prompt is over the window."""

    def __init__(self, message: str, *, window: int | None = None) -> None:
        super().__init__(message)
        self.window = window


class BadRequest(ModelError):
    """A 400. ``message_index`` and ``block_index`` are the place that it names, if any."""

    def __init__(
        self, message: str, *, message_index: int | None = None, block_index: int | None = None
    ) -> None:
        super().__init__(message)
        self.message_index = message_index
        self.block_index = block_index


class StreamCut(ModelError):
    """The stream broke after something was shown."""


class PluginError(NovaCoreError):
    """Something about a plugin."""


class PluginRefused(PluginError):
    """A plugin that could not be registered; the message says what to do."""


class ContractError(PluginError):
    """An answer that its hook's contract forbids."""


class RequiredPluginFailed(PluginError):
    """A plugin that the user requires failed."""

    exit_code = 3
