"""Why a call has no result of its own, in stable words that are true."""

from __future__ import annotations

INTERRUPTED = "interrupted"
NOT_STARTED = "not_started"
READ_ONLY = "read_only"
SIBLING_FAILED = "sibling_failed"
USER_STOPPED = "user_stopped"

_TEXTS = {
    INTERRUPTED: (
        "[interrupted] This call was started, and the session ended before its result was "
        "recorded. Outcome unknown: check what happened before you do it again."
    ),
    NOT_STARTED: (
        "[interrupted] The session ended before this call; the log has no record that it was "
        "started. Outcome unknown until you check; call it again if it is still needed."
    ),
    READ_ONLY: (
        "[interrupted] The session ended while this call was reading. Outcome unknown, nothing "
        "was changed; call it again if it is still needed."
    ),
    SIBLING_FAILED: (
        "[not run] A parallel call failed, and this one was dropped with it. Nothing was done."
    ),
    USER_STOPPED: (
        "[stopped] The user stopped the turn while this call was open. What it had done until "
        "then stays done; check before you repeat it."
    ),
}


def result_text(reason: str = INTERRUPTED) -> str:
    """The text of a synthetic result: one of the reasons above, or a caller's own words."""
    known = _TEXTS.get(reason)
    return known or f"[interrupted] {reason}. Outcome unknown: check before you do it again."
