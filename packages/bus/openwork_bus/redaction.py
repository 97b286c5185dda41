"""What must not stand in a trace: secrets anywhere, and who a person is in whatever an asker wrote.

Pure functions; `span_export.py` applies them to every text of every span. Three kinds of text:

- any text: secrets are masked;
- a document's (what a source published): also e-mail addresses and numbers that their own label says are a person's.
  Authors, registration numbers and dates of publication are public and stay;
- an asker's (the question, and all that was made of it): also telephone numbers by their form, dates of birth after
  "born", and the names of persons that are given as such ("my patient John Smith", "Mr. Rao").

Rules, not a model: a name that nothing announces is not seen. Where that is not enough, `OPENWORK_TRACE_CONTENT=false`
keeps all texts out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

HIDDEN = "[secret]"
EMAIL = "[e-mail]"
PHONE = "[phone]"
BIRTH = "[date of birth]"
RECORD = "[record number]"
NAME = "[name]"

_SHORT = 120
"""Characters of a text in which one look for all needles is faster than a look for each."""
_LEAST_PART = 2
"""Letters; a part of a name or of an address that is no longer is not looked for by itself."""
_LEAST_SECRET_CHARS = 6
"""Of a configured secret that is looked for as it is: a shorter one stands in ordinary words."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern and what its matches become."""

    pattern: re.Pattern[str]
    mask: str
    needles: tuple[str, ...] = ()
    """One of these stands, in lower case, in every text with a match; looking for them costs a hundredth."""


class _Rules:
    """Rules, in the order in which they are applied."""

    def __init__(self, *rules: _Rule) -> None:
        self.all = rules
        self.always = tuple(rule for rule in rules if not rule.needles)
        """Those whose matches have no word in common."""
        needles = sorted({needle for rule in rules for needle in rule.needles})
        self.needle = re.compile("|".join(map(re.escape, needles)))


def _rule(pattern: str, mask: str, *needles: str, flags: int = re.IGNORECASE) -> _Rule:
    return _Rule(re.compile(pattern, flags), mask, needles)


_KEY_NAMES = r"api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?"
_SECRETS = _Rules(
    _rule(r"-----BEGIN [A-Z ]*(?:KEY|SEED)-----.*?(?:-----END [A-Z ]*-----|------END [A-Z ]*------|\Z)", HIDDEN,
          "-----begin", flags=re.DOTALL),
    _rule(r"\b(authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|digest|token|apikey))\s+[^\s\"',;]+", rf"\1 {HIDDEN}",
          "authorization"),
    # With a digit, so that "bearer of a mutation" and "basic electrocardiography" stay.
    _rule(r"\b(bearer|basic)\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}", rf"\1 {HIDDEN}", "bearer ", "basic "),
    _rule(rf"((?<![a-z])[\w-]*(?:{_KEY_NAMES})[\"']?\s*[=:]\s*)(?:\"[^\"]{{4,}}\"|'[^']{{4,}}'|[^\s&\"',;}}]{{4,}})",
          rf"\1{HIDDEN}", "key", "secret", "token", "passw", "passphrase", "credential"),
    _rule(r"([?&](?:key|auth|sig|signature|pwd|code|x-amz-[\w-]+)=)[^&\s\"'<>]+", rf"\1{HIDDEN}", "?", "&"),
    _rule(r"\b([a-z][a-z0-9+.-]*://)[^\s/@]+@", rf"\1{HIDDEN}@", "://"),
    _rule(r"S[ACNOUX][A-Z2-7]{56}", HIDDEN, flags=0),  # a seed of NATS: its prefix and 56 characters of base 32
    _rule(r"\beyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?", HIDDEN, "eyj", flags=0),  # a JSON Web Token
    _rule(r"(?<![A-Za-z0-9])(?:AIza[\w-]{30,}|sk-[\w-]{16,}|tvly-[\w-]{8,}|gh[opsur]_\w{20,}|github_pat_\w{20,}"
          r"|AKIA[0-9A-Z]{16}|hf_\w{20,}|xox[a-z]-[\w-]{10,})", HIDDEN,
          "aiza", "sk-", "tvly-", "gh", "akia", "hf_", "xox", flags=0),
)  # fmt: skip

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    rf"(?:\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}|\d{{4}}[/.-]\d{{1,2}}[/.-]\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? \d{{2,4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})(?!\d)"
)
_NUMBERED = r"(?:\s*(?:no|nr|number|id|identifier)\b\.?|\s*#)"
_RECORD_LABEL = (
    rf"(?:\b(?:MRN|UHID|SSN|aadhaar)\b{_NUMBERED}?|\b(?:medical record|hospital|patient|chart|NHS|social security"
    rf"|passport|insurance|health card|member){_NUMBERED})"
)
_LABELLED = _Rules(
    _rule(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", EMAIL, "@"),
    _rule(r"\b((?:telephone|phone|tel|mobile|cell ?phone|whats ?app|fax)\b[^\d+\n]{0,14})\+?\(?\d[\d ().-]{5,17}\d",
          rf"\1{PHONE}", "tel", "phone", "mobile", "whats", "fax"),
    _rule(rf"((?:\bDOB\b|\bD\.O\.B\.?|\bdates? of birth\b|\bbirth ?da(?:te|y)\b)[\s:=,(-]*(?:is |on )?){_DATE}",
          rf"\1{BIRTH}", "dob", "d.o.b", "birth"),
    # Four digits at least: "patient no. 12" is one of a series.
    _rule(rf"({_RECORD_LABEL}[\s:=,(-]*(?:is )?)[a-z]{{0,4}}[-/ ]?(?:\d[-/ ]?){{3,15}}\d[a-z]?\b", rf"\1{RECORD}",
          "mrn", "uhid", "ssn", "aadhaar", *(f"{label} {kind}" for kind in ("n", "i", "#") for label in
          ("record", "hospital", "patient", "chart", "nhs", "security", "passport", "insurance", "card", "member"))),
)  # fmt: skip
"""What its own label, or an at sign, says to be a person's."""

_ALONE, _ENDED = r"(?<![\w./:-])", r"(?![\w/]|[.-]\d)"
_UNLABELLED = _Rules(
    _rule(rf"{_ALONE}\+\d{{1,3}}[ .-]?\(?\d{{1,5}}\)?(?:[ .-]?\d{{2,5}}){{1,4}}{_ENDED}", PHONE, "+"),
    _rule(rf"{_ALONE}(?:\(\d{{3}}\) ?|\d{{3}}[-.])\d{{3}}[-.]\d{{4}}{_ENDED}", PHONE),
    _rule(rf"{_ALONE}(?:0\d{{2,4}}[ -]\d{{3,4}}[ -]?\d{{3,4}}|0\d{{9,10}}|[6-9]\d{{4}}[ -]?\d{{5}}){_ENDED}", PHONE),
    _rule(rf"{_ALONE}\d{{3}}-\d{{2}}-\d{{4}}{_ENDED}", RECORD),  # a number of social security in the USA
    # Not of a cohort: "born 1 January 2000 to 31 December 2010".
    _rule(rf"(\bborn (?:on )?(?:the )?){_DATE}(?!\s*(?:to|and|through|until|or|-|–)\b)(?! ?[–-] ?\d)", rf"\1{BIRTH}",
          "born"),
)  # fmt: skip
"""What its form says to be a person's, in the words of an asker. Documents have tables, where anything has any form."""

_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"
_WORD = (
    rf"[{_UPPER}](?:[{_LOWER}]|['’-](?=[{_UPPER}{_LOWER}]{{2}})|(?<=['’-])[{_UPPER}]|[{_UPPER}](?=[{_LOWER}]))+(?!\w)"
)
_NAME_PART = re.compile(
    rf" ?(?:(?P<word>(?:(?:van|von|der|de|da|di|bin|al|el|la) ){{0,2}}{_WORD})|[A-Z]\.|[A-Z](?= [A-Z]))"
)
_CAPITALS = re.compile(rf"[{_UPPER}]{{3,}}(?: [{_UPPER}]{{2,}}){{0,2}}(?![\w-])")
_MOST_PARTS = 4
_PERSON = "patient|pt|client|man|woman|lady|gentleman|boy|girl|child|baby|infant|person|friend|colleague|neighbou?r"
_RELATIVE = (
    "mother|father|mum|mom|dad|wife|husband|partner|son|daughter|brother|sister|aunt|uncle|cousin|niece|nephew"
    "|grandmother|grandfather|grandma|grandpa|mother-in-law|father-in-law"
)


_CAPITAL = re.compile(rf"(?<=\s)[{_UPPER}]")
_TITLES = "Mr|Mrs|Ms|Mx|Miss|Mister|Madam|Mme|Smt|Shri|Dr|Prof"
_TITLE_WORDS = frozenset(_TITLES.split("|"))
_ANY = rf"(?:{_PERSON}|{_RELATIVE})"
_WHOSE = "patient|patient's|patient’s|pt|full|first|last|family|given|maiden|his|her|my|their"
_TITLE = re.compile(rf"\b(?:{_TITLES})\.? \Z")
_CUES = tuple(
    (re.compile(rf"{pattern} \Z"), least_parts)
    for pattern, least_parts in (
        (rf"\b(?:[Mm]y|[Oo]ur) {_ANY},?", 1),
        (rf"\b{_ANY}", 2),
        (r"\b[Pp](?:atient|t\.?):", 1),
        (rf"\b{_ANY},? (?:who is |is )?(?:named|called)", 1),
        (rf"\b(?i:{_WHOSE}) [Nn]ame(?: is|:| =)", 1),
        (r"(?m)^[Nn]ame:", 1),
    )
)
"""What stands before a name besides a title, and of how many parts the name is at least."""
_LAST_WORDS = frozenset(
    {
        *f"{_TITLES}|{_RELATIVE}|{_PERSON.replace('u?', 'u')}|neighbor".lower().split("|"),
        *("named", "called", "name", "is", "="),
    }
)
"""The last words of the cues, without what ends them: the quick look before the exact one."""
_LONGEST_CUE = 48
_SMALL_NAME = re.compile(rf"\b(?:{_WHOSE}) name(?: is|:| =) (?P<name>[a-z]{{2,}})", re.IGNORECASE)
_OF_NO_PERSON = frozenset(
    {
        "association", "class", "criteria", "diet", "disease", "disorder", "failure", "index", "inventory", "lymphoma",
        "protocol", "questionnaire", "scale", "score", "sign", "stage", "study", "syndrome", "test", "trial",
    }
)  # fmt: skip
"""What belongs to an eponym or a scale, and to no person: "my father Parkinson's disease"."""
_NO_NAME_BEFORE = re.compile(rf"(?:['’]s?)? (?:{'|'.join(sorted(_OF_NO_PERSON))})\b", re.IGNORECASE)
_NO_NAMES = frozenset(
    {
        "Am", "Are", "Can", "Care", "Class", "Could", "Did", "Do", "Does", "Global", "Grade", "Group", "Had", "Has",
        "Have", "Health", "How", "If", "Is", "May", "Outcomes", "Phase", "Reported", "Safety", "Should", "Stage", "The",
        "Type", "Was", "What", "When", "Which", "Who", "Why", "Will", "With", "Would", *_TITLE_WORDS,
    }
)  # fmt: skip
"""Words with a capital that stand after a cue at the beginning of a sentence, or in the name of a scale."""
_ORDINARY = frozenset(
    {
        "and", "april", "august", "bell", "best", "bill", "black", "brown", "case", "cook", "day", "field", "frost",
        "good", "grace", "gray", "green", "grey", "has", "hope", "june", "king", "little", "long", "mark", "may",
        "price", "ray", "rich", "rose", "sharp", "short", "small", "stone", "strong", "sue", "summer", "the", "was",
        "white", "will", "winter", "wise", "wood", "young",
    }
)  # fmt: skip
"""Names that are ordinary words too: not masked where they are written small."""


_LONG_NUMBER = re.compile(r"\d[\d ().-]{7,}\d|born ", re.IGNORECASE)
"""Stands in every text in which `_UNLABELLED` finds something: one look for all of them."""


def without_secrets(text: str, known: Iterable[str] = ()) -> str:
    """The text without keys, tokens, passwords and seeds.

    Args:
        known: secrets of this process, which are masked in whatever form they stand.
    """
    for secret in known:
        if len(secret) >= _LEAST_SECRET_CHARS and secret in text:
            text = text.replace(secret, HIDDEN)
    return _apply(_SECRETS, text)


def document_text(text: str, known: Iterable[str] = ()) -> str:
    """What a source published, for a trace."""
    return _apply(_LABELLED, without_secrets(text, known))


@dataclass(frozen=True, slots=True)
class Private:
    """Something that a text gives away of a person, and what stands for it."""

    form: str
    mask: str
    in_any_case: bool = True
    """Whether it is meant however it is written; not a name that is an ordinary word too."""


def asked_text(text: str, private: Iterable[Private] = (), known: Iterable[str] = ()) -> str:
    """What an asker wrote, or what was made of it, for a trace.

    Args:
        private: as `private_in` found it in the question; that of the text itself is masked in any case.
        known: secrets of this process.
    """
    text = without_secrets(text, known)
    found = private_in(text) | frozenset(private)
    masked = _apply(_UNLABELLED, _apply(_LABELLED, text)) if _LONG_NUMBER.search(text) else _apply(_LABELLED, text)
    if not found:
        return masked
    pattern, masks = _forms(found)
    return pattern.sub(lambda match: masks.get(match[0]) or masks[match[0].lower()], masked)


@lru_cache(maxsize=64)
def private_in(text: str) -> frozenset[Private]:
    """What a text gives away of persons, with the forms in which parts of it stand in what is made of the text."""
    found: set[Private] = set()
    for name in names_in(text):
        parts = [part for part in name.split() if len(part) > _LEAST_PART]
        found |= {Private(name, NAME), *(Private(part, NAME, part.lower() not in _ORDINARY) for part in parts)}
    needed = [*_needed(_LABELLED, text), *(_needed(_UNLABELLED, text) if _LONG_NUMBER.search(text) else ())]
    for rule in needed:
        for match in rule.pattern.finditer(text):
            value = match[0][len(match[1]) :] if match.lastindex else match[0]
            found |= _forms_of(value.strip(), rule.mask.rpartition("\\1")[2])
    return frozenset(found)


def names_in(text: str) -> frozenset[str]:
    """Names of persons that the text gives as such; without title."""
    found = {_name_at(text, match.start()) for match in _CAPITAL.finditer(text)}
    if " name" in text.lower():
        found |= {match["name"] for match in _SMALL_NAME.finditer(text)}
    return frozenset(found - {""})


def _forms_of(value: str, mask: str) -> set[Private]:
    """An address also by its host and the words before it, which are a name as a rule; anything else as a whole."""
    local, at, host = value.partition("@")
    if not at:
        return {Private(value, mask)}
    words = (word for word in re.split(r"[._+%-]", local) if len(word) > _LEAST_PART)
    names = {Private(word, NAME, word.lower() not in _ORDINARY) for word in words}
    return {Private(value, mask), Private(host, mask), *names}


def _name_at(text: str, start: int) -> str:
    """The name that begins there; empty when nothing before it says that it is one."""
    before = text[max(0, start - _LONGEST_CUE) : start].rstrip() + " "
    if before.split(" ")[-2].rpartition("\n")[2].rstrip(".,:").lower() not in _LAST_WORDS:
        return ""
    is_titled = _TITLE.search(before) is not None
    least_parts = 1 if is_titled else min((least for cue, least in _CUES if cue.search(before)), default=0)
    if not least_parts:
        return ""
    if (is_titled or before[-2] == ":") and (capitals := _CAPITALS.match(text, start)):
        return capitals[0]
    refused = _TITLE_WORDS if is_titled else _NO_NAMES
    parts: list[str] = []
    end = start
    while len(parts) < _MOST_PARTS and (part := _NAME_PART.match(text, end)) and part["word"] not in refused:
        parts.append(part[0].strip())
        end = part.end()
    is_none = _OF_NO_PERSON & {part.lower() for part in parts} or _NO_NAME_BEFORE.match(text, end)
    return "" if is_none or len(parts) < least_parts else " ".join(parts)


@lru_cache(maxsize=64)
def _forms(private: frozenset[Private]) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for all of them, longest first, and the mask of each (in small letters where case does not count)."""
    ordered = sorted(private, key=lambda one: (-len(one.form), one.form, one.mask))
    forms = [f"(?i:{re.escape(one.form)})" if one.in_any_case else re.escape(one.form) for one in ordered]
    masks = {one.form.lower() if one.in_any_case else one.form: one.mask for one in ordered}
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)"), masks


def _needed(rules: _Rules, text: str) -> Iterable[_Rule]:
    """The rules that may find something. Most short texts have nothing that any of them needs."""
    lowered = text.lower()
    if len(text) < _SHORT and rules.needle.search(lowered) is None:
        return rules.always
    return [rule for rule in rules.all if not rule.needles or any(needle in lowered for needle in rule.needles)]


def _apply(rules: _Rules, text: str) -> str:
    for rule in _needed(rules, text):
        text = rule.pattern.sub(rule.mask, text)
    return text
