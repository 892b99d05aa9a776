"""The same table on twins of its chips, with simulated hands."""
