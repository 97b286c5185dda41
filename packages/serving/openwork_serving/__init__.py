"""Models on a Triton server: many requests in flight, one deadline, errors in our words."""
