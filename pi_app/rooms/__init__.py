"""Dungeon Twister's rotating rooms: a second game on the same dials. A room is a dial of four positions."""
