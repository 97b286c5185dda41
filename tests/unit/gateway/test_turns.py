"""Turns at the door: fair between accounts, in order within each, and nobody lost or counted twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from openwork_gateway.domain.turns import Turns

ARRIVALS = st.lists(st.tuples(st.sampled_from("ABCD"), st.integers(0, 30).map(str)), max_size=80)
Item = tuple[str, str]


def waiting(arrivals: list[Item]) -> Turns[Item]:
    turns: Turns[Item] = Turns()
    for account, name in arrivals:
        turns.add(account, name, (account, name))
    return turns


def drained(turns: Turns[Item]) -> list[Item]:
    return list(iter(turns.take, None))


@given(ARRIVALS)
def test_each_one_is_taken_exactly_once(arrivals: list[Item]) -> None:
    turns = waiting(arrivals)
    assert len(turns) == len(set(arrivals))
    assert sorted(turns) == sorted(set(arrivals))
    assert Counter(drained(turns)) == Counter(set(arrivals))
    assert not turns
    assert turns.take() is None


@given(ARRIVALS)
def test_an_accounts_own_are_taken_in_the_order_in_which_they_came(arrivals: list[Item]) -> None:
    taken = drained(waiting(arrivals))
    for account in "ABCD":
        assert [item for item in taken if item[0] == account] == [
            item for item in dict.fromkeys(arrivals) if item[0] == account
        ]


@given(ARRIVALS)
def test_between_two_turns_of_an_account_every_other_that_waits_has_one(arrivals: list[Item]) -> None:
    turns = waiting(arrivals)
    while turns:
        accounts = {account for account, _ in turns}
        round_ = [turns.take() for _ in accounts]
        assert {item[0] for item in round_ if item} == accounts


@given(ARRIVALS, st.integers(0, 40), st.sampled_from("ABCDE"))
def test_what_is_said_of_the_turns_before_one_is_never_too_few(arrivals: list[Item], n: int, account: str) -> None:
    """Nor more than one account's turn too many: the one that is next may have had its turn already."""
    turns = waiting(arrivals)
    for _ in range(n):
        turns.take()
    said = turns.ahead_of(account)
    turns.add(account, "new", (account, "new"))
    before = drained(turns).index((account, "new"))
    assert before <= said
    assert said - before <= len(set("ABCDE"))


@given(ARRIVALS, st.data())
def test_one_that_is_removed_is_not_taken_and_the_others_are(arrivals: list[Item], data: st.DataObject) -> None:
    turns = waiting(arrivals)
    gone = data.draw(st.lists(st.sampled_from(arrivals), unique=True) if arrivals else st.just([]))
    for account, name in gone:
        turns.remove(account, name)
        turns.remove(account, name)
        assert turns.find(account, name) is None
    assert set(drained(turns)) == set(arrivals) - set(gone)


def test_what_waits_under_a_name_is_replaced_in_its_place() -> None:
    turns: Turns[str] = Turns()
    for name, item in (("1", "first"), ("2", "second"), ("1", "first, again")):
        turns.add("A", name, item)
    assert (turns.find("A", "1"), turns.find("B", "1"), turns.waiting("A")) == ("first, again", None, 2)
    assert [turns.take(), turns.take()] == ["first, again", "second"]


def test_who_looks_through_them_may_remove_on_the_way() -> None:
    turns = waiting([("A", "1"), ("A", "2"), ("B", "1")])
    for account, name in turns:
        turns.remove(account, name)
    assert not turns


def test_four_thousand_of_one_account_are_one_turn_before_anothers() -> None:
    turns = waiting([("A", str(n)) for n in range(4000)])
    assert turns.ahead_of("B") == 1
    assert turns.ahead_of("A") == 4000
