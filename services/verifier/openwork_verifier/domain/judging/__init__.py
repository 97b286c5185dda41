"""Typed questions about claims that code can neither prove nor dispel, and what of an answer to them counts."""
