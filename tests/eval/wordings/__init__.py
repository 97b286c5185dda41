"""Pairs of wordings: what a physician types for a slot of a question, and what a trial prints."""
