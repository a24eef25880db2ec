"""What the fake remembers of each request that passed the protocol checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fakellm.prompt import blocks_of, common_prefix, rendered

Api = Literal["anthropic", "chat"]


@dataclass
class Request:
    """A request as the policy and the tests see it.

    ``unchanged`` is how many bytes of the previous request's rendering (marks aside) this one
    begins with, of ``previous``; ``usage`` is what the reply reported (empty until it was sent).
    """

    api: Api
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    index: int
    input_tokens: int = 0
    unchanged: int = 0
    previous: int = 0
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def appended_only(self) -> bool:
        """The whole previous request is a prefix of this one."""
        return self.unchanged == self.previous

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools offered."""
        tools = self.body.get("tools") or []
        return [t.get("name") or t.get("function", {}).get("name", "") for t in tools]

    @property
    def last_text(self) -> str:
        """The text blocks of the last message, joined by lines."""
        return "\n".join(b["text"] for b in self._last_blocks() if b.get("type") == "text")

    @property
    def tool_results(self) -> dict[str, str]:
        """Text of each tool result of the last message, by call id."""
        return {
            b["tool_use_id"]: "\n".join(x.get("text", "") for x in blocks_of(b.get("content")))
            for b in self._last_blocks()
            if b.get("type") == "tool_result"
        }

    def rendered(self) -> bytes:
        """The request's blocks in order, marks aside."""
        return rendered(self.body)

    def _last_blocks(self) -> list[dict[str, Any]]:
        messages = self.body.get("messages") or [{}]
        return blocks_of(messages[-1].get("content"))


class Recorder:
    """The requests so far; keeps one rendering to compare the next request with."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._last = b""

    def add(self, api: Api, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Request:
        """Record a request; ``input_tokens`` and ``usage`` are filled in as they are known."""
        now = rendered(body)
        request = Request(
            api=api,
            path=path,
            body=body,
            headers=headers,
            index=len(self.requests),
            unchanged=common_prefix(self._last, now),
            previous=len(self._last),
        )
        self._last = now
        self.requests.append(request)
        return request
