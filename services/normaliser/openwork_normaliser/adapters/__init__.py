"""Outside systems of the normaliser."""
