"""Scorers that need something outside this process, or a model inside it. Each imports its library when it is made."""
