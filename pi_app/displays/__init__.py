"""Drawing a report: lamp code, picture, words. Nothing here ever sees the game."""
