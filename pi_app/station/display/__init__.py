"""The public display in a terminal: scenes as cells in sixteen colours, for a Linux console and every other one."""
