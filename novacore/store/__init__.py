"""Files of the state folder: logs, artifacts, snapshots, locks, memory."""
