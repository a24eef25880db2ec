"""NovaCore as a Jupyter server extension."""
