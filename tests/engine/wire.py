"""Neutral messages as an Anthropic request, and the shared rules that such a request must keep."""

from __future__ import annotations

import importlib.util

from novacore.types import Image, Reasoning, Text, ToolResult, ToolUse


def load_rules(shared):
    """``check(request) -> violations`` of the shared wire rules."""
    path = shared("cases", "agent", "wire_rules.py")
    spec = importlib.util.spec_from_file_location("wire_rules", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.check


def wire(messages, tools=()):
    """The request as a dict, with the fields that the rules look at."""
    return {
        "tools": [{"name": name} for name in tools],
        "messages": [{"role": m.role, "content": [_block(b) for b in m.blocks]} for m in messages],
    }


def _block(block):
    match block:
        case Text(text=text):
            return {"type": "text", "text": text}
        case ToolUse(id=id, name=name, input=arguments):
            return {"type": "tool_use", "id": id, "name": name, "input": dict(arguments)}
        case ToolResult(tool_use_id=id, text=text, is_error=is_error, images=images):
            content = [_block(image) for image in images]
            if text.strip():
                content.insert(0, {"type": "text", "text": text})
            return {
                "type": "tool_result",
                "tool_use_id": id,
                "content": content or "",
                "is_error": is_error,
            }
        case Image(media_type=media, data=data, width=width, height=height):
            return {
                "type": "image",
                "media_type": media,
                "data_len": len(data),
                "px": [width, height],
            }
        case Reasoning(data=data):
            return dict(data)


def neutral(message):
    """A message of a case as neutral blocks: (role, blocks)."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return message["role"], tuple(_neutral(block) for block in blocks)


def _neutral(block):
    match block["type"]:
        case "tool_use":
            return ToolUse(id=block["id"], name=block["name"], input=block["input"])
        case "tool_result":
            return ToolResult(
                tool_use_id=block["tool_use_id"],
                text=block["content"],
                is_error=block.get("is_error", False),
            )
        case "image":
            width, height = block["px"]
            return Image(
                media_type="image/png", data="x" * block["data_len"], width=width, height=height
            )
        case "thinking" | "redacted_thinking":
            return Reasoning(data=block)
        case _:
            return Text(text=block["text"])
