"""Passages become a draft whose every sentence is cited."""
