"""The `openwork` command. Commands import what they need when they run, so that each starts fast."""
