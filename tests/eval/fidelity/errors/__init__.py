"""Planted errors: rules that put one error into a sentence its source bears out.

Every rule has its own word lists and patterns. None is taken from the product, and none from what the gate was seen to
miss: a figure that the gate's own reader cannot read is planted like any other.

A rule takes (sentence, its abstract with the title, random) and gives the wrong sentence, or None where it does not
apply *or where the result might be true after all*: what is put in must not stand in the abstract.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.eval.fidelity.errors import arms, meaning, names, numbers, scope

Rule = Callable[[str, str, Random], str | None]
KINDS: dict[str, Rule] = {**numbers.KINDS, **names.KINDS, **arms.KINDS, **meaning.KINDS, **scope.KINDS}
"""In the order in which they are published."""
