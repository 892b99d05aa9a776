"""Paper faces for printed dials, 1:1: position numbers, or what a trap table says for owners who want that."""
