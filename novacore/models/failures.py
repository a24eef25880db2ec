"""An SDK's or a connection's exception as one of ours: one line that says what to do."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from novacore import errors

if TYPE_CHECKING:
    from anthropic import APIStatusError

LONGEST_TEXT = 300

_PLACE = re.compile(r"\bmessages[.\[](\d+)\]?(?:\.content[.\[](\d+))?")
_TOO_LONG = (
    re.compile(r"prompt is too long(?:: [\d,]+ tokens > (?P<window>[\d,]+))?", re.IGNORECASE),
    re.compile(r"exceed context limit: [\d,]+ \+ [\d,]+ > (?P<window>[\d,]+)"),
    re.compile(r"maximum context length (?:is|of) (?P<window>[\d,]+)"),
)
_BUSY_TYPES = {"overloaded_error", "rate_limit_error", "api_error", "timeout_error"}
_KEY_TYPES = {"authentication_error", "permission_error"}
_BUSY_STATUSES = {408, 409, 429}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """What a message must name: the address and the model that were asked for."""

    url: str
    model: str


def failure_of(error: Exception, at: Endpoint) -> errors.ModelError | None:
    """Our error for ``error``; None when it is no failure of the provider or the connection."""
    import anthropic

    if isinstance(error, errors.ModelError):
        return error
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, at)
    if isinstance(error, anthropic.APITimeoutError):
        return errors.Unreachable(
            f"No answer from {at.url} in time; try again, or raise providers.anthropic.timeout"
        )
    if isinstance(error, anthropic.APIConnectionError):
        return errors.Unreachable(
            f"Cannot reach {at.url}{_cause(error)}; check the network, or "
            "providers.anthropic.base_url"
        )
    if _is_broken_stream(error):
        return errors.Unreachable(f"The connection to {at.url} broke; try again")
    return None


def after_shown(failure: errors.ModelError) -> errors.StreamCut:
    """The same failure once part of the answer was given out."""
    return errors.StreamCut(f"The answer broke off: {failure}", shown=True)


def _cause(error: Exception) -> str:
    """The connection's own words, except where they would quote a header and so the key."""
    cause = error.__cause__
    if cause is None or type(cause).__name__ == "LocalProtocolError":
        return ""
    return f" ({_one_line(str(cause))})"


def _is_broken_stream(error: Exception) -> bool:
    """A cut stream raises the transport's own error, a garbled one that of the JSON parser.

    SDK releases differ in the transport (httpx, httpx2); both name the root TransportError.
    """
    names = {base.__name__ for base in type(error).__mro__}
    return bool(names & {"TransportError", "StreamError", "JSONDecodeError"})


def _of_status(error: APIStatusError, at: Endpoint) -> errors.ModelError:
    """By the error's type first: inside a stream the status is 200 whatever happened."""
    status, kind, text = error.status_code, str(error.type or ""), _text_of(error)
    if kind in _KEY_TYPES or (not kind and status in (401, 403)):
        return errors.BadCredentials(
            f"{at.url} refused the key ({text}); set ANTHROPIC_API_KEY in your shell to a valid one"
        )
    if kind == "not_found_error":
        return errors.UnknownModel(
            f"No model {at.model} at {at.url}; choose another with --model, or as `model` in your "
            "config.toml"
        )
    if kind == "request_too_large" or status == 413:
        return errors.TooLong(f"The request is too large for {at.url}; compact the session")
    if kind in _BUSY_TYPES or status in _BUSY_STATUSES or status >= 500:
        return _busy(error, at, text)
    if kind == "invalid_request_error" or status in (400, 422):
        return _of_bad_request(text)
    return errors.ModelError(f"{at.url} answered {status}: {text}; check base_url and account")


def _busy(error: APIStatusError, at: Endpoint, text: str) -> errors.Busy:
    wait = retry_after(error.response.headers)
    when = f"in {wait:.0f} s" if wait else "later"
    return errors.Busy(
        f"{at.url} is busy ({text}); try again {when}, or choose another --model",
        retry_after=wait,
    )


def _of_bad_request(text: str) -> errors.ModelError:
    for pattern in _TOO_LONG:
        if found := pattern.search(text):
            window = found["window"]
            return errors.TooLong(
                f"The prompt is over the model's window ({text}); compact the session",
                window=int(window.replace(",", "")) if window else None,
            )
    place = _PLACE.search(text)
    return errors.BadRequest(
        f"The provider refused the request: {text}",
        message_index=int(place[1]) if place else None,
        block_index=int(place[2]) if place and place[2] else None,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asks to wait, from any of the three forms; None if it does not."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            return max(0.0, float(value) * unit)
        except ValueError:
            continue
    try:
        return max(
            0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time()
        )
    except ValueError:
        return None


def _text_of(error: APIStatusError) -> str:
    return _one_line(error.api_message or f"status {error.status_code}")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 3] + "..."
