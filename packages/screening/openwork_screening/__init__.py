"""Screening for a review: which records go on, why, in whose words, and in what order. Pure functions; no I/O."""
