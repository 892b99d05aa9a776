"""The `trapdial` command: reads options, builds the house, calls one function. It holds no rules."""
