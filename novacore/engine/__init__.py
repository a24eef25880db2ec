"""The host's side of the hooks: assemble, spill, compact, recall, verify, normalise."""
