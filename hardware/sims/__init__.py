"""Register-level twins: chips, wires, pins and hands, written from datasheets alone."""
