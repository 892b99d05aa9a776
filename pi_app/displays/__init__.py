"""Draw a seat's picture as pixels and flashes. Nothing here sees the game."""
