"""The error that a handler raises and that each API renders in its own shape."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class ApiError(Exception):
    """An error reply: status, the provider's error type, the text, and headers."""

    status: int
    type: str
    message: str
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def invalid(message: str, code: str | None = None) -> ApiError:
    """A 400, by far the commonest rejection."""
    return ApiError(400, "invalid_request_error", message, code)


def bad_key() -> ApiError:
    """A 401: the key is missing or unknown."""
    return ApiError(401, "authentication_error", "invalid x-api-key")


def unknown_model(model: str) -> ApiError:
    """A 404: no such model for this key."""
    return ApiError(404, "not_found_error", f"model: {model}")


def rate_limited(retry_after: float) -> ApiError:
    """A 429 with the ``retry-after`` header (seconds)."""
    text = "This request would exceed your organization's rate limit."
    return ApiError(429, "rate_limit_error", text, headers={"retry-after": f"{retry_after:g}"})


def overloaded() -> ApiError:
    """A 529: the service as a whole is busy."""
    return ApiError(529, "overloaded_error", "Overloaded")


def too_long(tokens: int, window: int) -> ApiError:
    """A 400 that names the window. Text: anthropics/claude-code#12186."""
    return invalid(f"prompt is too long: {tokens} tokens > {window} maximum")
