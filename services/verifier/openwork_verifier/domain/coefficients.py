"""Coefficients of `entailment`: `data/coefficients.tsv`, which says on what and by which command they were fitted."""

from __future__ import annotations

from importlib.resources import files


def _read() -> dict[str, tuple[float, float]]:
    """Feature -> (weight for entailed, weight for refuted); "constant" is one of them."""
    text = files("openwork_verifier").joinpath("data", "coefficients.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {feature: (float(entailed), float(refuted)) for feature, entailed, refuted in rows}


COEFFICIENTS = _read()
CONSTANT = COEFFICIENTS.pop("constant")
