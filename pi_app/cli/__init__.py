"""The `trapdial` command: reads options, builds a table and calls one function. It holds no rules."""
