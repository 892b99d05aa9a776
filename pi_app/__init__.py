"""From a dial's angle to one player's eyes: dial, trap tables, game, journal, report, displays."""
