"""A local stand-in for model provider HTTP APIs, for tests and for trying things by hand.

Real HTTP and real SSE, no model: a policy (plain Python) decides each reply, and the server
enforces the protocol rules that a provider enforces. README.md lists the rules and their sources.
"""

from __future__ import annotations

from fakellm.errors import ApiError
from fakellm.policy import Fault, Policy, Scripted, Text, Thinking, ToolUse, Turn
from fakellm.records import Request
from fakellm.server import FakeServer

__all__ = [
    "ApiError",
    "FakeServer",
    "Fault",
    "Policy",
    "Request",
    "Scripted",
    "Text",
    "Thinking",
    "ToolUse",
    "Turn",
]
