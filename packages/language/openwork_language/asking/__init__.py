"""Whom, when and how much a question asks about, and whether a source's text is about those people."""
