"""Persons out of what an identity provider says: one for each, and a token of the bus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_api.people import OWN_SCOPES, Scope
from openwork_api.security.keys import check_person
from openwork_api.security.persons import groups_in, person_of, scopes_of
from openwork_api.security.wiring import terms_of
from openwork_api.settings import Settings
from openwork_contracts.errors import UsageError
from pydantic import ValidationError


@given(st.text(min_size=1))
def test_any_claim_becomes_a_token_of_the_bus_and_always_the_same(claim: str) -> None:
    assert check_person(person_of(claim)) == person_of(claim)


@given(st.lists(st.text(alphabet="aA-_ .@ä", min_size=1, max_size=6), unique=True, min_size=2, max_size=40))
def test_two_claims_are_two_persons(claims: list[str]) -> None:
    """Also where one is what another was made into."""
    claims = list({*claims, *map(person_of, claims)} - {person_of(claim) for claim in claims} | set(claims))
    assert len(set(map(person_of, claims))) == len(claims)


def test_nobody_can_be_called_what_another_was_made_into() -> None:
    made = person_of("Weiss@clinic.example")
    assert person_of(made) != made
    assert person_of("dr-weiss") == "dr-weiss"


@pytest.mark.parametrize(
    ("claim", "groups"),
    [(["a", "b"], {"a", "b"}), ("a b", {"a", "b"}), (None, set()), ({"a": 1}, set()), (["a", 7, None], {"a"})],
)
def test_groups_as_providers_write_them(claim: object, groups: set[str]) -> None:
    assert groups_in(claim) == groups


def test_without_rules_everybody_may_everything_and_with_them_who_is_named() -> None:
    rules = Settings(api_oidc_scopes="read=clinic, read=library,ask=clinic").oidc_scopes
    assert scopes_of(frozenset(), {}) == OWN_SCOPES
    assert scopes_of(frozenset({"clinic"}), rules) == {Scope.READ, Scope.ASK}
    assert scopes_of(frozenset({"library", "x"}), rules) == {Scope.READ}
    assert scopes_of(frozenset({"x"}), rules) == frozenset()


def test_nobody_observes_without_a_rule_and_that_rule_alone_takes_nothing_from_others() -> None:
    assert Scope.OBSERVE not in OWN_SCOPES
    alone = Settings(api_oidc_scopes="observe=platform").oidc_scopes
    assert scopes_of(frozenset({"clinic"}), alone) == OWN_SCOPES
    assert scopes_of(frozenset({"platform"}), alone) == OWN_SCOPES | {Scope.OBSERVE}
    beside = Settings(api_oidc_scopes="observe=platform,read=clinic").oidc_scopes
    assert scopes_of(frozenset({"platform"}), beside) == {Scope.OBSERVE}
    assert scopes_of(frozenset({"clinic"}), beside) == {Scope.READ}


def test_a_provider_without_our_name_there_is_said_to_lack_it() -> None:
    assert terms_of(Settings()) is None
    with pytest.raises(UsageError, match="OPENWORK_API_OIDC_CLIENT_ID"):
        terms_of(Settings(api_oidc_issuer="https://id.example"))


@pytest.mark.parametrize("text", ["read", "read=", "write=clinic", "=clinic"])
def test_rules_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="scope"):
        Settings(api_oidc_scopes=text)
