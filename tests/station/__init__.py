"""The public display of a station: its page in a real browser, and its pictures."""
