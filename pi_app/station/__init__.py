"""A demo station: a table that plays with whoever comes, and that staff need not know anything about."""
