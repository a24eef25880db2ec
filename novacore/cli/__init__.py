"""The ``novacore`` command: parse, call the service, show."""
