"""Finds plugins, asks them, and lets none of them break a turn."""

from __future__ import annotations

from novacore.host.faults import read_faults
from novacore.host.host import Host, Pending
from novacore.host.listing import list_without_loading
from novacore.host.search_path import clean_sys_path
from novacore.host.types import DEADLINES, Answer, Fault, HostConfig, PluginStatus

__all__ = [
    "DEADLINES",
    "Answer",
    "Fault",
    "Host",
    "HostConfig",
    "Pending",
    "PluginStatus",
    "clean_sys_path",
    "list_without_loading",
    "read_faults",
]
