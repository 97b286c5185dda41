"""A question as a search strategy: concepts under all their names, blocks, rungs, and what meets them."""
