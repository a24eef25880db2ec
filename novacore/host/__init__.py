"""Finds, orders, guards and times plugins; with hookspecs the only place that imports pluggy."""
