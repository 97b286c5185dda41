"""A question becomes a search plan, or a typed rejection."""
