"""Measurements of what is searched for."""
