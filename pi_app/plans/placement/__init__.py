"""Where traps may lie: a dungeon drawn as text, and what the rules of placing say of it."""
