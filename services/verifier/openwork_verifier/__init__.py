"""A draft gets a verdict per claim; the only way out to a reader."""
