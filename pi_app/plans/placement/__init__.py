"""Check the placement of traps on a dungeon drawn as text."""
