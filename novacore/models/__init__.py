"""Model providers; the only place that imports an SDK."""
