"""The agent's tools, and what they may do: paths, permissions, trust, secrets."""
