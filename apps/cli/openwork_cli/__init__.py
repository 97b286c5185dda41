"""The `openwork` command: a client of running services. What needs their code is plugged in by the laptop app."""
