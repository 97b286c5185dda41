"""What RxNorm's answers mean."""

from __future__ import annotations

import json

import pytest
from openwork_contracts.errors import SourceChanged
from openwork_http.rxnorm import parse_classes, parse_related, parse_rxcui


def test_names_by_kind_of_term() -> None:
    groups = [
        {"tty": "IN", "conceptProperties": [{"name": "apixaban"}]},
        {"tty": "BN", "conceptProperties": [{"name": "Eliquis"}, {"name": "Eliquis"}]},
        {"tty": "MIN"},
    ]
    body = json.dumps({"relatedGroup": {"rxcui": "1", "conceptGroup": groups}}).encode()
    assert parse_related("RxNorm", body) == {"IN": ("apixaban",), "MIN": (), "BN": ("Eliquis",)}


def test_classes_once_and_none_is_no_error() -> None:
    entry = {"rxclassMinConceptItem": {"className": "Direct factor Xa inhibitors"}}
    classes = json.dumps({"rxclassDrugInfoList": {"rxclassDrugInfo": [entry, entry]}}).encode()
    assert parse_classes("RxNorm", classes) == ("Direct factor Xa inhibitors",)
    assert parse_classes("RxNorm", b"{}") == ()


def test_an_unknown_name_is_not_a_changed_api() -> None:
    assert parse_rxcui("RxNorm", b'{"idGroup": {"name": "zxqvbn"}}') is None
    for body in (b"{}", b"<html></html>", b"[]"):
        with pytest.raises(SourceChanged):
            parse_rxcui("RxNorm", body)
