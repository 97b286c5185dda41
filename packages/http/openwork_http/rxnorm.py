"""RxNorm, the US vocabulary of drugs, through RxNav: what a drug's name means. Never evidence.

https://lhncbc.nlm.nih.gov/RxNav/APIs/ (RxNorm and RxClass). No key; at most 20 requests per second and address.
"""

from __future__ import annotations

from urllib.parse import quote

from openwork_contracts.errors import OpenWorkError, SourceChanged
from openwork_contracts.question import DrugNames

from openwork_http.jsonbody import at, load_object, objects_at, text_at, texts_at
from openwork_http.messages import HttpRequest
from openwork_http.port import HttpPort, fetch

RXNAV_URL = "https://rxnav.nlm.nih.gov/REST"
RXNAV_PER_S = 20
RXNAV_CACHE_TTL_S = 7 * 86_400
"""RxNorm is released every month, its updates every week."""


def rxcui_request(base_url: str, name: str) -> HttpRequest:
    """The concept of a name; `search=2` is RxNorm's exact match first, then its normalised one."""
    return HttpRequest("GET", f"{base_url.rstrip('/')}/rxcui.json", (("name", name), ("search", "2")))


def related_request(base_url: str, rxcui: str) -> HttpRequest:
    """Ingredients (IN), combinations of ingredients (MIN) and brand names (BN) of a concept."""
    url = f"{base_url.rstrip('/')}/rxcui/{quote(rxcui, safe='')}/related.json"
    return HttpRequest("GET", url, (("tty", "IN MIN BN"),))


def classes_request(base_url: str, rxcui: str) -> HttpRequest:
    """Pharmacologic classes (ATC) of a concept."""
    params = (("rxcui", rxcui), ("relaSource", "ATC"))
    return HttpRequest("GET", f"{base_url.rstrip('/')}/rxclass/class/byRxcui.json", params)


def parse_rxcui(source: str, body: bytes) -> str | None:
    """The concept; `None` = RxNorm does not know the name.

    Raises:
        SourceChanged: not JSON, or without `idGroup`.
    """
    answer = load_object(source, body)
    if "idGroup" not in answer:
        raise SourceChanged(f"{source} answered without 'idGroup'; found: {', '.join(sorted(answer)[:8])}")
    return next(iter(texts_at(answer, "idGroup", "rxnormId")), None)


def parse_related(source: str, body: bytes) -> dict[str, tuple[str, ...]]:
    """Names by kind of term: IN, MIN, BN; a kind without any is empty.

    Raises:
        SourceChanged: not JSON, or without `relatedGroup`.
    """
    answer = load_object(source, body)
    if "relatedGroup" not in answer:
        raise SourceChanged(f"{source} answered without 'relatedGroup'; found: {', '.join(sorted(answer)[:8])}")
    names: dict[str, list[str]] = {"IN": [], "MIN": [], "BN": []}
    for group in objects_at(answer, "relatedGroup", "conceptGroup"):
        found = names.setdefault(text_at(group, "tty") or "", [])
        found.extend(name for c in objects_at(group, "conceptProperties") if (name := text_at(c, "name")))
    return {kind: tuple(dict.fromkeys(found)) for kind, found in names.items()}


def parse_classes(source: str, body: bytes) -> tuple[str, ...]:
    """Class names; an answer without any is empty, not an error (RxClass gives `{}`)."""
    answer = load_object(source, body)
    entries = objects_at(answer, "rxclassDrugInfoList", "rxclassDrugInfo")
    names = (text_at(at(entry, "rxclassMinConceptItem"), "className") for entry in entries)
    return tuple(dict.fromkeys(name for name in names if name))


async def drug_names(name: str, http: HttpPort, base_url: str = RXNAV_URL, source: str = "RxNorm") -> DrugNames | None:
    """What RxNorm knows of a name; `None` = it does not know it. One request for an unknown name, three for a known;
    its classes are not worth an error.

    Raises:
        SourceUnavailable, SourceRefused, SourceChanged: it could not be found out.
    """
    rxcui = parse_rxcui(source, await fetch(source, http, rxcui_request(base_url, name)))
    if rxcui is None:
        return None
    related = parse_related(source, await fetch(source, http, related_request(base_url, rxcui)))
    ingredients = related["IN"]
    try:
        classes = parse_classes(source, await fetch(source, http, classes_request(base_url, rxcui)))
    except OpenWorkError:
        classes = ()
    return DrugNames(
        asked=name,
        rxcui=rxcui,
        ingredients=ingredients,
        # A single ingredient is related to every combination that it is part of: these are other drugs.
        combination=next(iter(related["MIN"]), None) if len(ingredients) > 1 else None,
        brands=related["BN"],
        classes=classes,
    )
