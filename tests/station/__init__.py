"""Lanes over the demo station: long runs that a person or CI starts by name."""
