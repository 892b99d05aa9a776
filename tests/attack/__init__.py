"""What outsiders try: each module names the attacker, and what he must not get. `make attack-test` runs all of it."""
