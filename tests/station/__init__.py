"""The demo station as a whole: lanes of long runs that a person or CI starts by name, and its display in a browser."""
