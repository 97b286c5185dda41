"""A question without the markup that came along when it was copied: HTML, Markdown, LaTeX, citation marks.

Words and their order stay. `<` is taken for a tag only where a whole tag of HTML stands: "eGFR <30", "p<0.05" and
"age<65 and >50" stay as they are, and so do star alleles (CYP2C19*2), snake_case and prices in dollars.
"""

from __future__ import annotations

import html
import re
from functools import cache

from openwork_knowledge.tables import alternatives, table, words

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(.{0,2000}?)-->", re.DOTALL)
_ATTRIBUTES = r"(?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*\s*/?"
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_SUP = re.compile(r"(\S?)<sup[^<>]*>\s*([^<>]{0,12}?)\s*</sup\s*>", re.IGNORECASE)
_SHORT_UNIT = re.compile(r"\b(?:10|[ck]?m|mm|s|min|h|d|L|kg)$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]+(?=[A-Za-z])|[-*+•][ \t]+(?=[^\W\d_]|\[))", re.MULTILINE)
_FENCE = re.compile(r"```\w*|~~~")
_CODE = re.compile(r"`([^`\n]+)`")
_STRONG = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]*?[^\s*])\1(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_])(_{1,3})(?=[^\s_])([^\n]{0,200}?[^\s_])\1(?![\w_])")
_STRUCK = re.compile(r"~~(?=\S)([^~\n]+)~~")
_MATH = re.compile(r"\$\$?((?=[^$\n]*[\\^_{}])[^$\n]+|\s*[<>=≤≥±~]+\s*\d*(?:\.\d+)?\s*)\$\$?|\\[(\[](.{1,300}?)\\[)\]]")
_RAISE = re.compile(r"\^\{?([-+−]?\d{1,3})\}?(?!\d)")
_LOWER = re.compile(r"_\{([^{}]{1,8})\}|_(\d)(?!\d)")
_MARKS = re.compile(r"(\S{1,40}?)?[ ]?\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\](?=[\s.,;:?!)]|$)")
_QUOTES = str.maketrans("“”„‟«»＂‘’‚‛′", '"""""""\'\'\'\'\'')
_MOJIBAKE = {"â€™": "'", "â€˜": "'", "â€œ": '"', "â€\x9d": '"', "â€“": "-", "â€”": "-", "Â ": " "}
"""Marks in UTF-8 that were read as Windows-1252."""


def entities_read(text: str) -> str:
    """`&lt;`, `&nbsp;`, `&#8217;` as what they stand for; only those that end with a semicolon."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def without_markup(text: str) -> str:
    """The text without tags, Markdown, LaTeX and citation marks, quotation marks straight.

    Args:
        text: its lines still apart, its entities read.
    """
    for broken, mark in _MOJIBAKE.items():
        text = text.replace(broken, mark)
    text = text.translate(_QUOTES)
    if "<" in text:
        text = _without_tags(text)
    if "\\" in text or "$" in text:
        text = _without_latex(text)
    text = _without_markdown(text)
    return _MARKS.sub(_without_mark, text) if "[" in text else text


def _without_tags(text: str) -> str:
    text = _SUP.sub(_raised, _COMMENT.sub(r" \1 ", text))
    return _block().sub(" ", _inline().sub("", text))


def _raised(match: re.Match[str]) -> str:
    """A power or a charge stays one; the number of a reference goes."""
    before, raised = match[1], match[2]
    upto = match.string[: match.end(1)]
    if not re.fullmatch(r"[\d+−-]+", raised):
        return f"{before}{raised}" if re.search(r"[^\W\d_]", raised) else before
    stays = "+" in raised or "-" in raised or "−" in raised or before.isdigit() or _SHORT_UNIT.search(upto)
    return before + (raised.translate(_RAISED) if stays else "")


def _without_latex(text: str) -> str:
    text = _MATH.sub(lambda match: _formula((match[1] or match[2] or "").strip()), text)
    return _formula(text) if "\\" in text else text


def _formula(text: str) -> str:
    """A formula as plain characters: commands by the table, powers raised, braces gone."""
    signs = table("markup").values("sign")
    text = _font().sub(r"\1", text)
    text = _command().sub(lambda match: signs[match[1]], text)
    text = _RAISE.sub(lambda match: match[1].translate(_RAISED), text)
    return _LOWER.sub(lambda match: match[1] or match[2], text)


def _without_markdown(text: str) -> str:
    text = _LINE_START.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "`" in text:
        text = _CODE.sub(r"\1", _FENCE.sub(" ", text))
    for _ in range(3):  # one inside another
        text = _STRUCK.sub(r"\1", _UNDERLINED.sub(r"\2", _STRONG.sub(r"\2", text)))
    return text


def _without_mark(match: re.Match[str]) -> str:
    """A citation mark goes; numbers in brackets after "CI" or "aged" are a range, and stay."""
    before = match[1] or ""
    word = before.rstrip(":,(=").lstrip("(")
    is_range = not before or word.casefold() in _before_ranges() or word[-1:].isdigit() or word.endswith("%")
    return match[0] if is_range else before


@cache
def _inline() -> re.Pattern[str]:
    return re.compile(rf"</?{alternatives(words('markup', 'inline'))}{_ATTRIBUTES}>", re.IGNORECASE)


@cache
def _block() -> re.Pattern[str]:
    return re.compile(rf"</?{alternatives(words('markup', 'block'))}{_ATTRIBUTES}>|<!doctype[^<>]*>", re.IGNORECASE)


@cache
def _font() -> re.Pattern[str]:
    return re.compile(rf"\\{alternatives(words('markup', 'text'))}\{{([^{{}}]*)\}}")


@cache
def _command() -> re.Pattern[str]:
    return re.compile(rf"\\({alternatives(words('markup', 'sign'))})(?![A-Za-z])")


@cache
def _before_ranges() -> frozenset[str]:
    return frozenset(word.casefold() for word in words("markup", "before a range"))
