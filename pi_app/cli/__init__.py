"""The `trapdial` command: it reads options, builds a table and calls one function. It holds no rules."""
