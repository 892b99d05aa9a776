"""Evidence for the centre: lanes that print figures with their limits. `python -m tests.centre` runs them."""
