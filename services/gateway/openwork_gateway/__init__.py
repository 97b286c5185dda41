"""Questions in, answers out: the ask subject, the fold, the run's deadline."""
