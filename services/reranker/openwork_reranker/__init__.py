"""Candidates and passages in order of relevance."""
