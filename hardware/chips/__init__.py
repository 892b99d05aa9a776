"""One file per chip, in its datasheet's terms and units."""
