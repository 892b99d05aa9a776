"""The stores of a centre: one protocol, over PostgreSQL for a chain of shops and SQLite for one club's laptop."""
