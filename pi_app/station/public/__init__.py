"""What everybody may see of a station: its public state, the feed that carries it, and what a display makes of it."""
