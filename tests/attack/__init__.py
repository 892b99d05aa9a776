"""What outsiders try through commands and files: `make attack-test` runs it."""
