"""The way out: one HTTP client with retries, shared limits, circuits and a cache; one guarded client for foreign links."""
