"""The contracts as a whole: every event has a subject, a schema, a consumer; a change is additive or fails here."""

from __future__ import annotations

import copy
import importlib
import json
import pkgutil
from functools import cache
from typing import Any

import openwork_contracts
import pytest
from openwork_bus.wildcards import matches
from openwork_contracts import errors, plan, question, verdict
from openwork_contracts.compatibility import breaking_changes
from openwork_contracts.end import RunEnded
from openwork_contracts.errors import ContractViolation, FailureReason, OpenWorkError
from openwork_contracts.meta import Contract, Event
from openwork_contracts.pipelines import INSTALLED, PIPELINES
from openwork_contracts.schema import frozen, generated
from openwork_contracts.subjects import (
    EVENTS,
    Subject,
    end_filter,
    fixed_consumers,
    lanes,
    parse_subject,
    question_filter,
    retriever_consumer,
    run_filter,
    spec_named,
    spec_of,
    timer_or_due_filter,
    timer_subject,
)
from pydantic import ValidationError

from tests.conftest import ROOT

RELEASED: dict[str, Any] = json.loads((ROOT / "contracts" / "released.json").read_text())
MODULES = [
    importlib.import_module(f"openwork_contracts.{found.name}")
    for found in pkgutil.iter_modules(openwork_contracts.__path__)
    if found.name != "__main__"
]
RUN = "01JD3W8Q4Z5N6P7R8S9TAVBWCX"
TERMINAL = {"end"}
READ_FROM_THE_STREAM = {"search-planned", "answer-concluded", "evidence-tabulated", "end"}
"""By whoever joins or folds; they move nobody by themselves."""


def test_generated_files_are_what_the_contracts_say() -> None:
    stale = [path.name for path, text in generated(ROOT).items() if not path.exists() or path.read_text() != text]
    assert stale == [], "run `make schemas`"


_frozen = cache(frozen)
"""Made once: hundreds of schemas."""


@pytest.mark.parametrize("name", sorted(RELEASED))
def test_what_was_released_is_still_understood(name: str) -> None:
    current = _frozen()
    assert name in current, "an event or document was removed"
    assert breaking_changes(RELEASED[name], current[name]) == []


def example() -> dict[str, Any]:
    return copy.deepcopy(RELEASED["retrieval-completed"])


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda s: s["properties"].pop("elapsed_s"), "elapsed_s: removed"),
        (lambda s: s["properties"]["elapsed_s"].update(type="string"), "elapsed_s: type was 'number'"),
        (lambda s: s["required"].append("records"), "records: newly required"),
        (lambda s: s["$defs"]["TextOrigin"]["x-known-values"].remove("label"), "the values ['label'] are gone"),
        (lambda s: s["properties"]["search_log"].update(default=None), "search_log: default was"),
        (lambda s: s["$defs"]["EvidenceRecord"]["properties"].pop("title"), "records[].title: removed"),
        (lambda s: s["properties"]["source"].update(pattern="x"), "source: pattern was"),
    ],
)
def test_a_breaking_change_is_found(change: Any, finding: str) -> None:
    changed = example()
    change(changed)
    assert any(finding in text for text in breaking_changes(example(), changed))


def test_a_new_optional_field_is_not_a_breaking_change() -> None:
    changed = example()
    changed["properties"]["colour"] = {"type": "string", "default": "red"}
    changed["properties"]["source"]["description"] = "other words"
    assert breaking_changes(example(), changed) == []


def test_a_default_may_name_a_new_field_with_its_own_default_and_no_other_value() -> None:
    """A policy that is left out is read with what the reader's own contract has for each of its fields."""
    for value, findings in (([], 0), (["x"], 1)):
        changed = example()
        changed["$defs"]["SourcePolicy"]["properties"]["colours"] = {"type": "array", "default": []}
        changed["properties"]["policy"]["default"]["colours"] = value
        assert len(breaking_changes(example(), changed)) == findings
    other = example()
    other["properties"]["policy"]["default"]["trust_tier"] = 3
    assert breaking_changes(example(), other)


def test_every_event_class_has_a_row_and_a_name_of_its_own() -> None:
    classes = {
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Event) and value is not Event
    }
    assert classes == {spec.model for spec in EVENTS}
    assert len({spec.name for spec in EVENTS}) == len(EVENTS)
    assert {spec.name for spec in EVENTS if spec.model.terminal} == TERMINAL


def test_an_event_that_no_consumer_takes_says_so() -> None:
    """A new event may stand in its run and be read by nobody yet; a reader that was forgotten is found here."""
    consumers = (*fixed_consumers(), *lanes([retriever_consumer("library")]))
    read = {
        (taken.model.event_name, pipeline)
        for consumer in consumers
        for taken in consumer.takes
        for pipeline in consumer.pipelines
    }
    unread = {
        event.event_name: event.__doc__ or ""
        for pipeline in INSTALLED
        for event in pipeline.events
        if (event.event_name, pipeline.name) not in read
    }
    assert {name for name, said in unread.items() if "Read by nobody yet" not in said} <= READ_FROM_THE_STREAM


def test_every_pipeline_has_its_question_its_deadline_and_its_end() -> None:
    for pipeline in PIPELINES:
        names = {event.event_name for event in pipeline.events}
        assert names >= {"query-submitted", "deadline-reached", "end"}
        assert pipeline.ends


def test_no_two_consumers_share_a_durable_name() -> None:
    durables = [consumer.durable for consumer in fixed_consumers()]
    assert len(set(durables)) == len(durables)


def test_a_subject_is_taken_apart_into_what_it_was_made_of() -> None:
    subject = spec_of(plan.RetrievalCompleted).subject(RUN, "0", route="pubmed", track="falsification", round_=12)
    where = parse_subject(subject)
    assert where == Subject("retrieval-completed", "answer", "pubmed", RUN, "falsification", 12, "0")
    assert str(where) == subject
    assert spec_named("end").model is RunEnded


def test_filters_of_a_run_take_its_events_and_the_timer_of_an_event_waits_elsewhere() -> None:
    deadline = spec_of(plan.DeadlineReached).subject(RUN, route="normaliser", track="affirmative", round_=1)
    assert timer_subject(deadline) == deadline.replace("openwork.due.", "openwork.timer.")
    assert matches(timer_or_due_filter(deadline), timer_subject(deadline))
    assert matches(timer_or_due_filter(deadline), deadline)
    assert parse_subject(deadline).run_id == RUN
    assert not matches(run_filter(RUN), deadline)
    assert matches(end_filter(RUN), spec_of(RunEnded).subject(RUN, pipeline="review"))
    assert matches(question_filter(RUN), spec_of(question.QuerySubmitted).subject(RUN, pipeline="check"))
    assert not matches(end_filter(RUN), deadline)


@pytest.mark.parametrize(
    "subject",
    [
        f"openwork.v2.end.answer.all.{RUN}.all.0.0",
        f"openwork.v1.end.answer.all.{RUN}.all.0",
        f"openwork.v1.end.answer.all.{RUN}.all.x.0",
        "x",
        "",
    ],
)
def test_a_subject_of_another_form_is_refused(subject: str) -> None:
    with pytest.raises(ContractViolation):
        parse_subject(subject)


def test_contracts_are_frozen_and_ignore_fields_newer_than_themselves() -> None:
    item = verdict.EvidenceItem.model_validate({"n": 1, "text": "t", "from_the_future": True})
    with pytest.raises(ValidationError):
        item.text = "other"  # type: ignore[misc]


def test_every_public_field_of_a_number_says_its_bounds_or_has_a_docstring() -> None:
    """A score, rate or count without bounds is a guess; identifiers and texts need none."""
    bare = [
        f"{model.__name__}.{name}"
        for module in MODULES
        for model in vars(module).values()
        if isinstance(model, type) and issubclass(model, Contract)
        for name, field in model.model_fields.items()
        if field.annotation in (int, float) and not field.metadata and not field.description
    ]
    assert not bare


def test_every_error_of_the_tree_has_a_reason_and_says_whether_to_retry() -> None:
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, OpenWorkError)]
    assert len(classes) == 15
    for cls in classes:
        assert isinstance(cls("x").reason, FailureReason)
        assert isinstance(cls("x").retryable, bool)
        assert cls.__doc__
