"""The lanes of the centre."""
