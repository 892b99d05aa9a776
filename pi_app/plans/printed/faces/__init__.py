"""Paper faces for printed dials, 1:1: position numbers, or the trap table for owners who want that."""
