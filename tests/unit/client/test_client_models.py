"""The client's dataclasses: what the contracts say, tolerant of what is newer, strict about what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

import pytest
from openwork import models
from openwork.errors import BusUnavailable, ContractViolation, OpenWorkError, RunNotFound, UsageError, error_of
from openwork.reading import as_json
from openwork.run_ids import check_run_id, new_run_id
from openwork_bus.run_ids import check_run_id as the_services_check
from openwork_contracts import errors, requests
from openwork_contracts.answer import AnswerDocument
from openwork_contracts.client_models import generated
from openwork_contracts.requests import ShowReply
from openwork_gateway.domain.folds import fold
from openwork_report.render import rendered

from tests.conftest import ROOT
from tests.run_events import completed, concluded, normalised, planned, shortlisted, stored, submitted

DOCUMENT = fold(stored([submitted(), planned(), normalised(), shortlisted(), concluded(), completed()]))
REPLY: dict[str, Any] = json.loads(ShowReply(document=DOCUMENT, rendered=rendered(DOCUMENT)).model_dump_json())


def test_the_files_are_what_the_contracts_say() -> None:
    for target, text in generated().items():
        assert (ROOT / target).read_text(encoding="utf-8") == text, "run `make schemas`"


def test_a_document_is_read_whole() -> None:
    reply = models.ShowReply.from_dict(REPLY)
    assert reply.document is not None
    again = json.dumps(asdict(reply.document), default=datetime.isoformat)
    assert AnswerDocument.model_validate_json(again) == DOCUMENT


def test_the_classes_of_a_record_are_made_with_the_first_one() -> None:
    """Making them takes as long as half of the client's start, and few askers look at a record."""
    script = """if True:
        import json, sys, openwork.models as models
        document = json.loads(sys.stdin.read())["document"]
        without = models.AnswerDocument.from_dict(document | {"record": None})
        assert without.record is None and "openwork.record" not in sys.modules
        whole = models.AnswerDocument.from_dict(document)
        assert type(whole.record).__module__ == "openwork.record"
    """
    subprocess.run([sys.executable, "-c", script], input=json.dumps(REPLY), text=True, check=True)


def test_every_field_of_a_reply_is_there() -> None:
    for name in ("ShowReply", "ListReply", "EventsReply", "CancelReply", "VerifyReply"):
        assert {f.name for f in fields(getattr(models, name))} == set(getattr(requests, name).model_fields)


def test_fields_and_values_of_a_newer_gateway_are_no_fault() -> None:
    newer = json.loads(json.dumps(REPLY))
    newer["from_tomorrow"] = newer["document"]["from_tomorrow"] = {"a": 1}
    newer["document"]["status"] = "superseded"
    newer["document"]["answer"]["claims"][0]["verdict"] = "disputed"
    document = models.ShowReply.from_dict(newer).document
    assert document is not None
    assert (document.status, document.answer.claims[0].verdict) == ("superseded", "disputed")


def test_what_an_older_gateway_leaves_out_has_its_default() -> None:
    older = json.loads(json.dumps(REPLY))
    for name in ("owner", "method", "usage", "references", "gap"):
        del older["document"][name]
    older["document"]["withheld"] = None
    document = models.ShowReply.from_dict(older).document
    assert document is not None
    assert (document.owner, document.method, document.references, document.withheld) == (
        "local",
        models.Method(),
        (),
        (),
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run_id": 7}, "int for 'run_id' where a text"),
        ({"question": None}, "nothing for 'question' where a text"),
        ({"answer": "yes"}, "str for 'answer' where an object"),
        ({"references": {}}, "dict for 'references' where a list"),
        ({"references": ["x"]}, "str for 'references' where an object"),
        ({"timings": {"total_s": "fast"}}, "str for 'total_s' where a number"),
        ({"timings": {"total_s": True}}, "bool for 'total_s' where a number"),
        ({"method": {"counts": {"screened": 1.5}}}, "float for 'screened' where a whole number"),
    ],
)
def test_a_value_of_another_type_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ContractViolation, match=words):
        models.ShowReply.from_dict({"document": REPLY["document"] | change})


def test_a_request_leaves_out_what_was_not_chosen() -> None:
    request = models.AskRequest(question="x", options=models.AskOptions(sources=("library",)))
    assert as_json(request) == {"question": "x", "pipeline": "answer", "options": {"sources": ["library"]}}


def test_errors_are_named_as_in_the_contracts() -> None:
    for kind in (UsageError, RunNotFound, BusUnavailable, ContractViolation):
        assert issubclass(getattr(errors, kind.__name__), errors.OpenWorkError)
        assert type(error_of("why", kind.__name__)) is kind
    assert type(error_of("why", "FromNextYear")) is OpenWorkError
    assert type(error_of("why", None)) is OpenWorkError


def test_a_run_id_of_the_client_is_one_for_the_services() -> None:
    ids = [new_run_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert [the_services_check(run_id) for run_id in ids] == ids
    assert check_run_id(f" {ids[0].lower()} ") == ids[0]


@pytest.mark.parametrize("wrong", ["", "abc", "8" + "0" * 25, "0" * 27, "01ARZ3NDEKTSV4RRFFQ69G5FA*", "../../etc"])
def test_what_is_no_run_id_is_refused_before_anything_is_sent(wrong: str) -> None:
    with pytest.raises(UsageError, match="not a run id"):
        check_run_id(wrong)
