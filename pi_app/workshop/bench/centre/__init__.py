"""`trapdial bench centre`: what a centre takes of hundreds of tables on this machine, and whether it kept all of it."""
