"""Crossref's word on many DOIs: how they are asked for, and what its answers mean."""

from __future__ import annotations

import json
import random

import pytest
from openwork_contracts.errors import SourceChanged
from openwork_contracts.evidence import EvidenceStatus
from openwork_http.crossref import MOST_ADDRESS, WorkStatus, batches, parse_statuses, status_request

WORK = {"DOI": "10.1177/1758835920922055", "title": ["A trial"], "type": "journal-article"}


def answer(*works: dict[str, object]) -> bytes:
    return json.dumps({"status": "ok", "message-type": "work-list", "message": {"items": list(works)}}).encode()


def said_of(work: dict[str, object]) -> WorkStatus:
    (said,) = parse_statuses("Crossref", answer({**WORK, **work})).values()
    return said


def test_500_dois_take_at_most_ten_requests_whose_addresses_stay_short() -> None:
    """DOIs of 20 to 60 characters, as publishers make them."""
    letters = random.Random(1)
    dois = [f"10.{1000 + n}/{'x' * letters.randint(10, 40)}(20){n:04d}" for n in range(500)]
    portions = list(batches(dois))
    assert len(portions) <= 10
    assert sorted(doi for portion in portions for doi in portion) == sorted(dois)
    for portion in portions:
        assert len(status_request("https://api.crossref.org", portion, None).shown()) < MOST_ADDRESS + 300


def test_a_request_names_who_asks_what_is_wanted_and_as_many_rows_as_dois() -> None:
    request = status_request("https://api.crossref.org/", ["10.1/a", "10.2/b"], "someone@example.org")
    assert request.url == "https://api.crossref.org/works"
    params = dict(request.params)
    assert params["filter"] == "doi:10.1/a,doi:10.2/b"
    assert {"DOI", "update-to", "updated-by", "relation", "title", "type"} == set(params["select"].split(","))
    assert (params["rows"], params["mailto"]) == ("2", "someone@example.org")


def test_a_doi_with_a_comma_is_not_asked_for_since_commas_part_filters() -> None:
    assert list(batches(["10.1/a,b", "10.1/c", "10.1/c"])) == [["10.1/c"]]


def test_the_gravest_notice_counts_with_its_doi_and_who_told_it() -> None:
    notices = [
        {"type": "correction", "DOI": "10.1/c", "source": "publisher"},
        {"type": "retraction", "DOI": "10.1/R", "source": "retraction-watch"},
        {"type": "new_version", "DOI": "10.1/v"},
    ]
    assert said_of({"updated-by": notices}) == WorkStatus(EvidenceStatus.RETRACTED, "10.1/r", "retraction-watch")


@pytest.mark.parametrize(
    ("work", "status"),
    [
        ({}, EvidenceStatus.NONE),
        ({"updated-by": [{"type": "new_version", "DOI": "10.1/v"}]}, EvidenceStatus.NONE),
        ({"updated-by": [{"type": "Expression of Concern", "DOI": "10.1/e"}]}, EvidenceStatus.CONCERN),
        ({"updated-by": [{"type": "partial_retraction", "DOI": "10.1/p"}]}, EvidenceStatus.CORRECTED),
        ({"update-to": [{"type": "withdrawal", "DOI": WORK["DOI"]}]}, EvidenceStatus.WITHDRAWN),
        ({"update-to": [{"type": "retraction", "DOI": "10.1/other"}]}, EvidenceStatus.NONE),
        ({"title": ["RETRACTED: A trial"]}, EvidenceStatus.RETRACTED),
        ({"updated-by": None, "title": None}, EvidenceStatus.NONE),
    ],
)
def test_what_an_answer_means(work: dict[str, object], status: EvidenceStatus) -> None:
    assert said_of(work).status is status


def test_a_doi_that_crossref_does_not_have_is_not_there_and_case_is_no_difference() -> None:
    assert set(parse_statuses("Crossref", answer({"DOI": "10.1016/J.X.1"}))) == {"10.1016/j.x.1"}


@pytest.mark.parametrize("body", [b"Resource not found.", b"{}", b'{"message": {}}', b"<html>"])
def test_another_answer_is_a_changed_source(body: bytes) -> None:
    with pytest.raises(SourceChanged):
        parse_statuses("Crossref", body)
