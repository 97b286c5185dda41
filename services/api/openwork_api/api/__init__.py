"""The HTTP API, version 1: one module per noun, each a router. Pages are in `pages/`."""
