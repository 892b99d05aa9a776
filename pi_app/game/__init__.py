"""The rules and the state of play. Pure: events in, the next game out."""
