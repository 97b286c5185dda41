"""Whether an exported file says what the original says: sample pairs, and how far each precision may stray."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

SAMPLE_PAIRS: tuple[tuple[str, str], ...] = (
    ("Does aspirin prevent stroke?", "Aspirin lowered the rate of ischaemic stroke."),
    ("Does aspirin prevent stroke?", "Aspirin did not lower the rate of ischaemic stroke."),
    ("Does aspirin prevent stroke?", "Bananas are a source of potassium."),
    ("metformin lactic acidosis renal impairment", "Lactic acidosis was rare in patients on metformin. " * 12),
    ("metformin lactic acidosis renal impairment", "The kidney filters about 180 litres of plasma a day."),
    ("Which dose of amoxicillin for children?", "Children received 90 mg/kg/day of amoxicillin in two doses."),
    ("Which dose of amoxicillin for children?", "Amoxicillin is a beta-lactam antibiotic."),
    ("apixaban versus warfarin in atrial fibrillation", "Stroke: 1.27 % per year; warfarin: 1.60 % per year. " * 30),
    ("apixaban versus warfarin in atrial fibrillation", ""),
    ("β-blockers after myocardial infarction", "β-Blocker nach Herzinfarkt: keine Senkung der Sterblichkeit."),
)
"""Short, long (cut at 512 tokens), empty, another script, another language, relevant and not."""

MAX_DIFFERENCE: Mapping[str, float] = {
    "model.onnx": 1e-3,
    "model.cuda.onnx": 0.05,
    "model.fp16.onnx": 0.05,
    "model.int8.onnx": 0.75,
}
"""Largest difference of a logit. FP32 differs by the order of additions alone. Dynamic INT8 rounds activations by the
largest of the batch: up to 0.66 was seen on a trained cross-encoder whose logits spread by 3.1."""


def largest_difference(original: Sequence[float], exported: Sequence[float]) -> float:
    """Largest absolute difference of two lists of logits; infinite when they differ in number or one is not finite."""
    if len(original) != len(exported) or not all(map(math.isfinite, [*original, *exported])):
        return math.inf
    return max((abs(a - b) for a, b in zip(original, exported, strict=True)), default=0.0)


def failures(differences: Mapping[str, float]) -> list[str]:
    """What is wrong, in words; empty when every file is within its bound."""
    return [
        f"{name} differs from the original by {found:.4g}, more than {MAX_DIFFERENCE[name]}"
        for name, found in differences.items()
        if not found <= MAX_DIFFERENCE[name]
    ]
