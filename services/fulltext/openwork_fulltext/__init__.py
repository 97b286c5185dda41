"""The full text of a work, where it is free: found, read, and cut into sections with exact offsets."""
