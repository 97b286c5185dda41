"""Drug names that no table of ours has, looked up in RxNorm: a brand of last spring becomes its ingredient."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from openwork_bus.figures import Figures
from openwork_bus.jetstream import JetStreamBus
from openwork_bus.telemetry import Telemetry
from openwork_contracts.errors import OpenWorkError, SourceChanged
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import DrugNames, Entity, EntityKind
from openwork_http.client import HttpClient
from openwork_http.rxnorm import RXNAV_CACHE_TTL_S, RXNAV_PER_S, RXNAV_URL, drug_names
from openwork_http.terms import OutsideService, RateBudget
from openwork_http.wiring import shared_client
from openwork_knowledge.folding import is_acronym
from openwork_knowledge.inn import is_inn
from openwork_knowledge.tables import words
from openwork_language.terms import find_terms

from openwork_query.domain.thresholds import THRESHOLDS
from openwork_query.settings import Settings

_WORD = re.compile(r"[^\W\d_][^\W_]{3,39}")
_NAMED_PERSON = re.compile(r"(?:\b(?:dr|mr|mrs|ms|miss|professor|prof|patient)\.?\s+(?:[A-Z]\w+\s+)*)$", re.IGNORECASE)
_ABOUT_TREATMENT = re.compile(
    r"\b(?:safe|safety|dos(?:e|es|age|ing)|efficacy|effective\w*|treat\w*|therap\w+|patients?|children|adults|infants|pregnan\w+|"
    r"side effects?|interact\w*|trials?|drug|medicine|medication)\b",
    re.IGNORECASE,
)


@cache
def _proper_names() -> frozenset[str]:
    """Names of other things than drugs; each other one costs a request, and RxNorm does not know it."""
    return frozenset(words("proper_names"))


def unknown_names(question: str, entities: Sequence[Entity], *, rejected: bool = False) -> tuple[str, ...]:
    """Words that may be a drug's name and that the lexicon does not have, the likeliest first, `most_names` of them.

    A word is one when it ends like a nonproprietary name, or is written like a proper name within a sentence.

    Args:
        rejected: the question is not to be searched for; proper names, which may be anybody's, count only where it
            speaks of treatment.
    """
    only_stems = rejected and not _ABOUT_TREATMENT.search(question)
    by_stem: dict[str, str] = {}
    by_capital: dict[str, str] = {}
    found = list(_WORD.finditer(question))
    is_title = sum(m[0][0].isupper() for m in found) > THRESHOLDS.most_capitals * len(found)
    for match in found:
        word = match[0]
        if any(e.start < match.end() and match.start() < e.end for e in entities):
            continue
        if is_inn(word):
            by_stem.setdefault(word.casefold(), word)
        elif not (is_title or only_stems or is_acronym(word)) and _is_proper_name(question, match.start(), word):
            by_capital.setdefault(word.casefold(), word)
    return tuple({**by_stem, **by_capital}.values())[: THRESHOLDS.most_names]


def _is_proper_name(question: str, start: int, word: str) -> bool:
    """A capital first and small letters with it, not at the start of a sentence, and nobody's name."""
    before = question[:start].rstrip(" (\"“'‘")
    within = bool(before) and before[-1] not in ".?!:;"
    named = word[0].isupper() and not word.isupper() and word.casefold() not in _proper_names()
    return within and named and question[start - 1 : start] != "-" and not _NAMED_PERSON.search(question[:start])


def with_drug_names(question: str, entities: Sequence[Entity], names: Sequence[DrugNames]) -> tuple[Entity, ...]:
    """The entities and, where a name stands in the question, the drug that it means, in order."""
    added = []
    for known in names:
        match = re.search(rf"(?<!\w){re.escape(known.asked)}(?!\w)", question, re.IGNORECASE)
        if match is None or any(e.start < match.end() and match.start() < e.end for e in entities):
            continue
        added.append(_entity(known, match))
    return tuple(sorted((*entities, *added), key=lambda entity: entity.start))


def _entity(known: DrugNames, match: re.Match[str]) -> Entity:
    """The drug under its generic name, with the lexicon's identifier and synonyms where it has that one."""
    generic = known.generic
    term = next((t for t in find_terms(generic) if t.kind is EntityKind.DRUG and t.text == generic), None)
    spelt = [joiner.join(known.ingredients) for joiner in ("-", " and ", "/")] if known.combination else []
    names = (generic, *term.synonyms) if term else (generic, *spelt)
    name = term.name if term else generic
    taken = {name.casefold(), match[0].casefold()}
    return Entity(
        kind=EntityKind.DRUG,
        text=match[0],
        start=match.start(),
        end=match.end(),
        name=name,
        mesh_id=term.mesh_id if term else None,
        synonyms=tuple(n for n in dict.fromkeys(names) if n.casefold() not in taken),
    )


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What became of a look-up."""

    names: tuple[DrugNames, ...] = ()
    log: tuple[SearchRequestLog, ...] = ()
    degradations: tuple[str, ...] = ()


class RxNormLookup:
    """RxNorm over the HTTP client, its rate budget and its cache that all replicas share."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: HttpClient | None = None
        self._service = OutsideService(
            name="RxNorm", budget=RateBudget.of("rxnav", RXNAV_PER_S), cache_ttl_s=float(RXNAV_CACHE_TTL_S)
        )

    async def open(self, bus: JetStreamBus, telemetry: Telemetry, figures: Figures) -> HttpClient:
        """Use a client that shares its limits and its cache; it is closed by the caller."""
        js = bus.connection.jetstream(timeout=self._settings.publish_timeout_s)
        return self.use(await shared_client(self._settings, js, telemetry=telemetry, figures=figures))

    def use(self, client: HttpClient) -> HttpClient:
        """Ask through this client from now on."""
        self._client = client
        return client

    async def look_up(self, words: Sequence[str]) -> LookedUp:
        """What RxNorm knows of each word, within `drug_names_s`; never an error, since the question can do without."""
        if self._client is None or not words:
            return LookedUp()
        parts = await asyncio.gather(*(self._one(self._client, word) for word in words))
        failed = [(word, error) for word, (_, _, error) in zip(words, parts, strict=True) if error is not None]
        notes = {
            f"RxNorm {error.reason.in_words}: {' and '.join(w for w, e in failed if e.reason is error.reason)} was "
            "searched for as it stands"
            for _, error in failed
        }
        return LookedUp(
            tuple(names for names, _, _ in parts if names is not None and names.ingredients),
            tuple(entry for _, log, _ in parts for entry in log),
            tuple(sorted(notes)),
        )

    async def _one(
        self, client: HttpClient, word: str
    ) -> tuple[DrugNames | None, list[SearchRequestLog], OpenWorkError | None]:
        port = client.port(self._service, within_s=self._settings.drug_names_s)
        names, error = None, None
        try:
            names = await drug_names(word, port, self._settings.rxnav_base_url or RXNAV_URL)
        except OpenWorkError as raised:
            error = raised
            if isinstance(raised, SourceChanged):
                await port.forget()  # an answer that did not parse must not be kept
        log = [SearchRequestLog(request=request.shown(), hits=int(names is not None)) for request in port.sent]
        if error is not None and log:
            log[-1] = log[-1].model_copy(update={"error": str(error), "hits": None})
        return names, log, error
