"""The words of medicine: sentences, quantities, effects, terms. A library, not a service; no I/O but its own data."""
