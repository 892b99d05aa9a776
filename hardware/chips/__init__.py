"""One file per chip, in its datasheet's words and units."""
