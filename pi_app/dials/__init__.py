"""Samples of one dial become turns. Pure."""
