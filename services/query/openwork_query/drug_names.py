"""Drug names that no table of ours has, looked up in RxNorm: a brand of last spring becomes its ingredient."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from openwork_chassis.bus import Bus
from openwork_chassis.http.client import HttpClient
from openwork_chassis.http.terms import OutsideService, RateBudget
from openwork_chassis.http.wiring import shared_client
from openwork_chassis.rxnorm import RXNAV_CACHE_TTL_S, RXNAV_PER_S, RXNAV_URL, drug_names
from openwork_chassis.telemetry import Telemetry
from openwork_contracts.errors import OpenWorkError
from openwork_contracts.plan import SearchRequestLog
from openwork_contracts.question import DrugNames, Entity, EntityKind
from openwork_language.lexicon_words import is_acronym
from openwork_language.terms import find_terms

from openwork_query.settings import Settings

MOST_NAMES = 4
"""Names looked up for one question."""
_WORD = re.compile(r"[^\W\d_][\w-]{3,39}")
# Stems of international nonproprietary names (WHO's stem book) that hardly end another word.
_STEM = re.compile(
    r"[a-z]{2}(?:mab|tinib|ciclib|parib|degib|rafenib|zomib|sidenib|lisib|vaptan|gliptin|gliflozin|glutide|patide|sartan|"
    r"olol|vastatin|conazole|vir|cillin|cycline|floxacin|platin|taxel|rubicin|lukast|triptan|setron|prazole|xaban|"
    r"gatran|grel|grelor|(?:ner|ber|ter|fa|ta|na)cept|kinra|afil|limus|dipine|caine|curium|dronate|dronic|fibrate|thiazide|oxicam|coxib|"
    r"gepant|orexant|siran|nersen|leucel|tirsen|renone|ciguat|glinide|glitazone|pristone|relix|relin)s?$",
    re.IGNORECASE,
)


def unknown_names(question: str, entities: Sequence[Entity]) -> tuple[str, ...]:
    """Words that may be the name of a drug and that the lexicon does not have, at most `MOST_NAMES`.

    A word is one when it ends like a nonproprietary name, or is written like a proper name within a sentence.
    """
    found: dict[str, str] = {}
    for match in _WORD.finditer(question):
        word = match[0].rstrip("-")
        if any(e.start < match.end() and match.start() < e.end for e in entities) or is_acronym(word):
            continue
        if _STEM.search(word) or _is_proper_name(question, match.start(), word):
            found.setdefault(word.casefold(), word)
    return tuple(found.values())[:MOST_NAMES]


def _is_proper_name(question: str, start: int, word: str) -> bool:
    """A capital, then small letters, and not where every word has a capital: at the start of a sentence."""
    before = question[:start].rstrip()
    return word[0].isupper() and word[1:].islower() and bool(before) and before[-1] not in ".?!:;“\"'("


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

    async def open(self, bus: Bus, telemetry: Telemetry) -> HttpClient:
        """Open the client; it is closed by the caller."""
        js = bus.connection.jetstream(timeout=self._settings.publish_timeout_s)
        self._client = await shared_client(self._settings, js, telemetry=telemetry)
        return self._client

    async def look_up(self, words: Sequence[str]) -> LookedUp:
        """What RxNorm knows of each word; within `drug_names_s`; never an error, since the question can do without."""
        if self._client is None or not words:
            return LookedUp()
        port = self._client.port(self._service, within_s=self._settings.drug_names_s)
        base_url = self._settings.rxnav_base_url or RXNAV_URL
        found = await asyncio.gather(*(drug_names(w, port, base_url) for w in words), return_exceptions=True)
        failed = next((error for error in found if isinstance(error, OpenWorkError)), None)
        for error in found:
            if isinstance(error, BaseException) and not isinstance(error, OpenWorkError):
                raise error
        names = tuple(one for one in found if isinstance(one, DrugNames))
        return LookedUp(
            names,
            tuple(SearchRequestLog(request=r.shown(), error=str(failed) if failed else None) for r in port.sent),
            (f"RxNorm {failed.reason.in_words}: {' and '.join(words)} was searched for as it stands",)
            if failed
            else (),
        )
