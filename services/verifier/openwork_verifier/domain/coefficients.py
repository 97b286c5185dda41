"""Coefficients of `entailment`, written by `python -m tests.eval.fidelity.fit --write`; do not edit.

Each row: feature, weight for entailed, weight for refuted; not enough information is the zero of both.
Fitted with seed 20241105 on:
254 bioasq entailed,
762 bioasq neutral,
208 bioasq refuted,
300 evidence-inference entailed,
704 evidence-inference neutral,
600 evidence-inference refuted,
1982 pubmedqa entailed,
3946 pubmedqa neutral,
1620 pubmedqa refuted,
all made from Evidence Inference (MIT), PubMedQA (MIT) and BioASQ (CC BY 2.5), none from a set the gate is
judged on.
"""

from __future__ import annotations

CONSTANT = (-2.031, -2.250)
COEFFICIENTS: dict[str, tuple[float, float]] = {
    "best": (1.356, 0.722),
    "whole": (-0.930, -0.496),
    "rarest": (1.188, 1.011),
    "pairs": (1.498, 0.784),
    "about": (4.582, 4.700),
    "agreeing": (2.843, 1.741),
    "opposing": (1.918, 4.214),
    "denial_differs": (-0.273, 2.444),
    "turned": (0.226, 2.257),
    "plain": (0.228, 0.204),
    "surer": (-1.309, -1.228),
    "hedged": (0.262, 0.428),
    "length": (-0.283, -0.242),
}
