"""The baseline: what holds here, told in full once an epoch, later only where it differs.

A section has an id, a version and a text. What the model was told is itself a fold over ``update``
events, so resume and fork know it; an unknown previous telling means telling again in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from novacore.types import Event

SectionKind = Literal["instructions", "environment", "permissions", "untrusted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSection:
    """One section as it would be told now. ``title`` names it in a later replacement."""

    id: str
    kind: SectionKind
    title: str
    text: str
    uri: str
    version: str
    level: int = 0
    reason: str = ""
    source_version: str = ""
    """The version of what ``uri`` names, where that is not the version of the section's text."""
    plugin: str = ""
    """Who gave it; empty for the host's own."""


Told = Mapping[str, Mapping[str, Any]]
"""Section id -> {version, source_version, title, uri}: what the model was told in this epoch."""


def told_after(told: Told, event: Event) -> Told:
    """Fold one event into what the model was told."""
    if event.kind == "compaction":
        return _patched({}, event.data.get("baseline", {}).get("sections", {}))
    if event.kind != "update" or "sections" not in event.data:
        return told
    base: Told = {} if event.data.get("scope") == "baseline" else told
    return _patched(base, event.data["sections"])


def sections_after(
    held: Mapping[str, BaselineSection], event: Event
) -> Mapping[str, BaselineSection]:
    """Fold one event into the sections as the model was told them, each with its own text."""
    data = event.data.get("baseline") or {} if event.kind == "compaction" else event.data
    patch: Mapping[str, Any] | None = data.get("sections")
    if event.kind not in ("compaction", "update") or (patch is None and event.kind == "update"):
        return held
    whole = event.kind == "compaction" or data.get("scope") == "baseline"
    kept = (
        {} if whole else {id: s for id, s in held.items() if (patch or {}).get(id, 1) is not None}
    )
    told = (part for part in data.get("parts", ()) if (patch or {}).get(part["id"]))
    return kept | {part["id"]: _as_told(part, (patch or {})[part["id"]], whole) for part in told}


def full_update(sections: Sequence[BaselineSection]) -> dict[str, Any]:
    """The data of an ``update`` event that tells everything."""
    return {
        "scope": "baseline",
        "parts": [_part(section, section.text) for section in sections],
        "sections": {section.id: _known(section) for section in sections},
    }


def difference(told: Told, sections: Sequence[BaselineSection]) -> dict[str, Any] | None:
    """The data of an ``update`` event that tells only what differs; None when nothing does."""
    now = {section.id: section for section in sections}
    changed = [s for s in sections if told.get(s.id, {}).get("version") != s.version]
    gone = [id for id in told if id not in now]
    if not changed and not gone:
        return None
    patch: dict[str, Any] = {s.id: _known(s) for s in changed}
    patch.update(dict.fromkeys(gone))
    parts = [_changed_part(told, s) for s in changed]
    parts += [_gone_part(id, told[id]) for id in gone]
    return {"scope": "diff", "parts": parts, "sections": patch}


def mode_update(mode: str, section: BaselineSection) -> dict[str, Any]:
    """The data of an ``update`` event that tells another mode, as ``section`` has it now."""
    words = (
        f"The user changed the mode. This replaces everything said earlier under: {section.title}."
    )
    text = f"<update>\n{words}\n{section.text}\n</update>"
    return {"scope": "mode", "mode": mode, "text": text, "sections": {section.id: _known(section)}}


def _changed_part(told: Told, section: BaselineSection) -> dict[str, Any]:
    if section.id not in told:
        words = f"This holds from now on, in addition to what was said before: {section.title}."
    else:
        words = f"This replaces everything said earlier under: {section.title}."
    return _part(section, f"<update>\n{words}\n{section.text}\n</update>")


def _gone_part(id: str, known: Mapping[str, Any]) -> dict[str, Any]:
    title = known.get("title", id)
    text = f"<update>\nNo longer in force, forget what it said: {title}.\n</update>"
    return {"id": id, "kind": "environment", "text": text, "uri": id, "version": "gone"}


def _part(section: BaselineSection, text: str) -> dict[str, Any]:
    return {
        "id": section.id,
        "kind": section.kind,
        "text": text,
        "uri": section.uri,
        "version": section.version,
        "source_version": section.source_version or section.version,
        "reason": section.reason or section.title,
        "level": section.level,
        "plugin": section.plugin,
    }


def _as_told(part: Mapping[str, Any], known: Mapping[str, Any], whole: bool) -> BaselineSection:
    text = str(part["text"])
    if not whole:
        # The words that say what it replaces are one line inside the frame of an update.
        text = text.split("\n", 2)[2].removesuffix("\n</update>")
    return BaselineSection(
        id=str(part["id"]),
        kind=part["kind"],
        title=str(known.get("title", part["id"])),
        text=text,
        uri=str(part["uri"]),
        version=str(part["version"]),
        level=int(part.get("level") or 0),
        reason=str(part.get("reason", "")),
        source_version=str(part.get("source_version", "")),
        plugin=str(part.get("plugin", "")),
    )


def _known(section: BaselineSection) -> dict[str, Any]:
    return {
        "version": section.version,
        "source_version": section.source_version or section.version,
        "title": section.title,
        "uri": section.uri,
    }


def _patched(told: Told, patch: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    new = dict(told)
    for id, value in patch.items():
        if value is None:
            new.pop(id, None)
        else:
            new[id] = value
    return new


def told_all(events: Iterable[Event]) -> Told:
    """What the model was told after these events."""
    told: Told = {}
    for event in events:
        told = told_after(told, event)
    return told
