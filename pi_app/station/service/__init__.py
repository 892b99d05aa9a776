"""A station as a service: its units, its readiness and watchdog, its settings, and what happens when a start fails."""
