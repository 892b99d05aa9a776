"""Paper made from the settings, no wire touched: wiring, printed parts, placement."""
