"""A table is built from its settings and played."""
