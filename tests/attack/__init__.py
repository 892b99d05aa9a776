"""Attacks from outside, each as its attacker would try it: through commands and files (`make attack-test`)."""
