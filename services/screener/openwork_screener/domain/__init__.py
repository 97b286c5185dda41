"""Plain functions that decide; no I/O."""
