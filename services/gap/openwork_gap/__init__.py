"""Is the evidence enough, what is missing, what conflicts."""
