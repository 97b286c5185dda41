"""The chain that a review's wall time is held against: what it counts, and what it leaves out."""

from __future__ import annotations

import pytest

from tests.fakes.collector import Seen
from tests.review_chain import longest_chain, wall_s


def handled(span_id: str, name: str, parent: str, begun_s: float, ended_s: float) -> Seen:
    attributes = {"messaging.system": "nats", "openwork.pipeline": "review"}
    return Seen(name, "t", span_id, parent, attributes, False, "", begun_s, ended_s)


def inner(span_id: str, parent: str, begun_s: float, ended_s: float, **attributes: str) -> Seen:
    return Seen("inner", "t", span_id, parent, attributes, False, "", begun_s, ended_s)


ASKED = handled("q", "query query-submitted", "root", 0.0, 1.0)
SCREENED = [handled(f"s{n}", "screener screening-requested", "q", 1.0 + n, 2.0 + n) for n in range(6)]
END = handled("e", "gateway end", "s5-inside", 7.5, 9.0)
SPANS = [
    Seen("openwork run", "t", "root", "", {}, False, "", 0.0, 7.5),
    ASKED,
    *SCREENED,
    inner("s5-inside", "s5", 6.1, 6.9),
    END,
]


def test_a_step_of_many_messages_counts_for_all_of_them_by_how_many_go_at_once() -> None:
    asked, screening = longest_chain(SPANS)
    assert (asked.messages, asked.least_s) == (1, 1.0)
    assert (screening.messages, screening.at_once, screening.own_s, screening.least_s) == (6, 2, 1.0, 3.0)


def test_waiting_between_steps_is_in_the_wall_time_alone() -> None:
    assert wall_s(SPANS) == 7.5
    assert sum(step.least_s for step in longest_chain(SPANS)) == 4.0


def test_a_step_alone_counts_for_itself_however_short_the_others_were() -> None:
    slow = handled("s5", "screener screening-requested", "q", 1.0, 6.0)
    screening = longest_chain([*SPANS[:7], slow, *SPANS[8:]])[-1]
    assert screening.least_s == 5.0


def test_searches_of_other_sources_are_other_steps() -> None:
    searches = [handled(source, "retrievers retrieval-requested", "q", 1.0, 2.0) for source in ("pubmed", "europepmc")]
    inside = [inner(f"{one.span_id}-in", one.span_id, 1.0, 2.0, **{"openwork.source": one.span_id}) for one in searches]
    found = longest_chain([*SPANS[:2], *searches, *inside, handled("e", "gateway end", "pubmed-in", 2.0, 2.1)])
    assert [(step.name, step.messages) for step in found[1:]] == [("retrievers retrieval-requested pubmed", 1)]


@pytest.mark.parametrize("spans", [SPANS[:-1], [one for one in SPANS if one.span_id != "s5-inside"]])
def test_spans_that_have_not_come_are_said_and_not_taken_for_a_short_chain(spans: list[Seen]) -> None:
    with pytest.raises(ValueError, match=r"sent before|is cut"):
        longest_chain(spans)
