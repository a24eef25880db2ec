"""Configuration: defaults, files, environment and flags, each value with its origin."""
