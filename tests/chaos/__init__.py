"""Chaos: what may happen to the whole system while questions come, and what became of every one of them."""
