"""Tests of `pi_app/centre/clock`."""
