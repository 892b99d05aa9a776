"""The table's typed words, parsed and refused."""
