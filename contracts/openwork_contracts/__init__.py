"""What the services say to each other. Imports pydantic and nothing else; performs no I/O."""
