"""A deep review as text, tables and pictures."""
