"""A search plan becomes records; one adapter per outside API, one deployment per source."""
