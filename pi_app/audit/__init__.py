"""The dial audit: what a record says of every dial, after the game in full, before its end as pass and fail alone."""
