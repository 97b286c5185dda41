"""The tables of docs/sources.md out of the registry: what each source is, how it is asked, its limits and settings.

python scripts/sources_table.py --write | --check
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from openwork_bus.settings import ServiceSettings
from openwork_contracts.evidence import SourcePolicy
from openwork_http.terms import UNPAYWALL, UNPAYWALL_URL, Allowance
from openwork_query.domain.sources import DAILYMED
from openwork_retrievers.domain.registry import (
    SOURCES,
    AdapterName,
    SourceSpec,
)
from openwork_retrievers.settings import Settings

TARGET = Path(__file__).resolve().parent.parent / "docs" / "sources.md"
START, END = "<!-- table of sources: begin (scripts/sources_table.py) -->", "<!-- table of sources: end -->"

FORMS: dict[AdapterName, str] = {
    AdapterName.NCBI: "E-utilities: ESearch, fielded Boolean of MeSH headings and title/abstract words; EFetch XML",
    AdapterName.EUROPEPMC: "REST `search`, Boolean over `TITLE_ABS` and `KW`, `resultType=core`, cursor",
    AdapterName.OPENALEX: "`/works`, Boolean `search` with quoted names, `filter`, cursor",
    AdapterName.SEMANTICSCHOLAR: "`paper/search` with plain words; most cited: `paper/search/bulk`, Boolean",
    AdapterName.CLINICALTRIALS: "v2 `/studies`, `query.cond` and `query.intr`, page token",
    AdapterName.DAILYMED: "v2 `spls.json` for each drug, then the label as SPL XML",
    AdapterName.OPENFDA: "`/drug/label.json` or counts of `/drug/event.json`, for each drug",
    AdapterName.RXNAV: "RxNorm REST `rxcui`, `related`, RxClass `byRxcui`, for each drug",
    AdapterName.TAVILY: "POST `/search` with the question and a list of trusted domains, one call",
    AdapterName.SEARXNG: "`/search?format=json&engines=google scholar`, plain words, by page",
    AdapterName.CROSSREF: "`/works` with `query.bibliographic`",
}
"""How each adapter asks, in a line."""
NAMES: dict[int, str] = {
    1: "1 guideline, review, label",
    2: "2 literature, registration",
    3: "3 aggregator",
    4: "4 web",
}
"""Trust tiers in words."""


def render() -> str:
    """Both tables."""
    on = set(ServiceSettings.model_fields["sources"].default.split(","))
    asked = _table(
        ("Source", "What it is", "How it is asked", "Filters", "Asked when", "Trust tier", "Ranked"),
        [*(_asked(spec, on) for spec in SOURCES), _UNPAYWALL_ASKED],
    )
    limits = _table(
        ("Source", "Requests per second", "Most records: answer / review track", "Time limit", "Settings", "Terms"),
        [*(_limits(spec) for spec in SOURCES), _unpaywall_limits()],
    )
    return f"### How each is asked\n\n{asked}\n\n### Limits, settings, terms\n\n{limits}\n"


def _asked(spec: SourceSpec, on: set[str]) -> tuple[str, ...]:
    filters = f"`{spec.filters}`" if "[" in spec.filters or ":" in spec.filters else spec.filters
    return (
        f"`{spec.route}`",
        spec.description,
        FORMS[spec.adapter],
        filters,
        _when(spec, on),
        NAMES[spec.policy.trust_tier],
        _ranked(spec.policy),
    )


def _when(spec: SourceSpec, on: set[str]) -> str:
    if spec.for_questions:
        return "for a drug name in the question that no table here has"
    if spec.only_on_gap:
        return "only on a gap"
    if spec.route == DAILYMED:
        return "for the dosing or safety of a named drug"
    return "always" if spec.route in on else "when named in `OPENWORK_SOURCES`"


def _ranked(policy: SourcePolicy) -> str:
    if not policy.top_k:
        return "no: reference"
    of_all = f"at most {policy.top_k}, minimum x {policy.minimum_score_factor:g}"
    own = (
        f"as {one.name} (tier {one.trust_tier}) {one.top_k}, minimum x {one.minimum_score_factor:g}"
        for one in policy.classes
    )
    return "; ".join((of_all, *own))


def _limits(spec: SourceSpec) -> tuple[str, ...]:
    return (
        f"`{spec.route}`",
        _rate(spec.rate),
        f"{spec.limit} / {spec.review_limit}",
        f"{spec.timeout_s:g} s",
        ", ".join(_settings(spec)),
        f"[terms]({spec.terms_url})",
    )


def _rate(rate: Allowance) -> str:
    text = f"{rate.per_second:g}"
    if rate.per_second_with_key and rate.per_second_with_key != rate.per_second:
        text += f", with a key {rate.per_second_with_key:g}"
    return text + (f"; {rate.per_month:,} calls a month" if rate.per_month else "") + f" (budget `{rate.key}`)"


def _settings(spec: SourceSpec) -> Iterable[str]:
    name = spec.adapter.value
    if spec.needs:
        yield f"`OPENWORK_{spec.needs.upper()}` (without it, it is not asked)"
    if f"{name}_api_key" in Settings.model_fields and spec.needs != f"{name}_api_key":
        yield f"`OPENWORK_{name.upper()}_API_KEY` (optional)"
    if f"{name}_base_url" in Settings.model_fields:
        yield f"`OPENWORK_{name.upper()}_BASE_URL`"


_UNPAYWALL_ASKED = (
    "Unpaywall",
    "Where a DOI can be read for free; gives places, not records",
    f"`{UNPAYWALL_URL}/{{doi}}`, by the full-text service",
    "",
    "for a shortlisted work that neither PMC nor Europe PMC has",
    NAMES[3],
    "no: reference",
)


def _unpaywall_limits() -> tuple[str, ...]:
    return (
        "Unpaywall",
        _rate(UNPAYWALL),
        "1 / 1",
        "of the full text",
        "`OPENWORK_CONTACT_EMAIL` (without it, it is not asked), `OPENWORK_UNPAYWALL_BASE_URL`",
        "[terms](https://unpaywall.org/legal/terms-of-service)",
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def placed(page: str) -> str:
    """The page with current tables between its marks.

    Raises:
        ValueError: the marks are not there.
    """
    if START not in page or END not in page:
        raise ValueError(f"docs/sources.md has no {START!r} and {END!r}")
    before, rest = page.split(START, 1)
    return f"{before}{START}\n\n{render()}\n{END}{rest.split(END, 1)[1]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="put the current tables into docs/sources.md")
    what.add_argument("--check", action="store_true", help="write nothing; exit 1 when the tables are not current")
    wanted = parser.parse_args(arguments)
    page = TARGET.read_text("utf-8")
    current = placed(page)
    if wanted.write:
        TARGET.write_text(current, "utf-8")
    elif page != current:
        sys.stderr.write("docs/sources.md is not current; run `python scripts/sources_table.py --write`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
