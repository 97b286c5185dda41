"""The way out: one HTTP client with retries, shared limits and a cache; one guarded client for foreign links."""
