"""An encoder and a screen that do not exist, as the page about adding a chip has them written, with their twins."""
