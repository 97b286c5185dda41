"""A local HTTP server that speaks the outside APIs, with faults on demand: `python -m tests.fakes.upstream`."""
