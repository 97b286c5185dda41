"""Which records of a review go on, why, and which studies are read."""
