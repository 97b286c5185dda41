"""What the studies of a review come to together."""
