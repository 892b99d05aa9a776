"""Whether the date of a centre may be signed."""
