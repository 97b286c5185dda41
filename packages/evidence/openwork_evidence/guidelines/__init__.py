"""Guidelines: whose they are, which edition took whose place, and the starter set of recommendations."""
