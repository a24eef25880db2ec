"""One conversation: turns, tools, record, resume."""
