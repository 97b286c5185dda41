"""Formulas in a line of plain text: MathML first, TeX where there is nothing else."""

from __future__ import annotations

import re

from openwork_fulltext.domain.jats.elements import Element, local_name

_TEX_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_SIMPLE = re.compile(r"[\w.]+")
_SPACED_OPERATORS = frozenset("=<>≤≥≈±×+−-·∼~≠")


def formula_text(element: Element) -> str:
    """A formula, or whatever else stands in several versions (`alternatives`), as text; empty for a mere picture."""
    tag = local_name(element)
    if tag == "math":
        return _math(element)
    if tag == "tex-math":
        return _tex("".join(element.itertext()))
    parts = {local_name(e): e for e in element}
    for inner in ("alternatives", "math", "tex-math"):
        if inner in parts and (words := formula_text(parts[inner])):
            label = "".join(parts["label"].itertext()) if "label" in parts else ""
            return " ".join(f"{words} {label}".split())
    # A formula typed with plain markup.
    return "".join(element.itertext())


def _tex(text: str) -> str:
    inner = _TEX_DOCUMENT.search(text)
    return " ".join((inner[1] if inner else text).replace("$", " ").split())


def _math(element: Element) -> str:
    tag = local_name(element)
    parts = [_math(e) for e in element if local_name(e)]
    if tag in ("annotation", "annotation-xml"):
        return ""
    if tag in ("mi", "mn", "mtext", "ms"):
        return "".join(element.itertext()).strip()
    if tag == "mo":
        words = "".join(element.itertext()).strip()
        return f" {words} " if words in _SPACED_OPERATORS else words
    if tag == "mspace":
        return " "
    return _compound(tag, parts)


def _compound(tag: str, parts: list[str]) -> str:
    if tag == "mfrac" and len(parts) == 2:
        return f"{_grouped(parts[0])}/{_grouped(parts[1])}"
    if tag in ("msup", "mover") and len(parts) == 2:
        return f"{parts[0]}^{_grouped(parts[1])}" if parts[1].strip() not in ("¯", "‾", "ˉ") else parts[0]
    if tag in ("msub", "munder") and len(parts) == 2:
        return f"{parts[0]}_{_grouped(parts[1])}"
    if tag in ("msubsup", "munderover") and len(parts) == 3:
        return f"{parts[0]}_{_grouped(parts[1])}^{_grouped(parts[2])}"
    if tag == "msqrt":
        return f"√({''.join(parts).strip()})"
    if tag == "mfenced":
        return f"({', '.join(part.strip() for part in parts)})"
    if tag == "mtable":
        return "; ".join(part.strip() for part in parts)
    if tag == "mtr":
        return ", ".join(part.strip() for part in parts)
    return re.sub(r"  +", " ", "".join(parts))


def _grouped(text: str) -> str:
    bare = text.strip()
    return bare if _SIMPLE.fullmatch(bare) else f"({bare})"
