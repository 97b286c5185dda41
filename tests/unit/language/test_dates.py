"""Years and dates out of what sources print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openwork_language.dates import EARLIEST_YEAR, LATEST_YEAR, parse_date, parse_year


@pytest.mark.parametrize(("text", "date"), [
    ("2019 Apr-Jun", "2019-04"),
    ("Winter 1998", "1998"),
    ("1998 Dec-1999 Jan", "1998-12"),
    ("1976-1977 Winter", "1976"),
    ("May 25, 2026", "2026-05-25"),
    ("25 May 2026", "2026-05-25"),
    ("2021 May 25-28", "2021-05"),
    ("2006-11", "2006-11"),
    ("2006-11-03", "2006-11-03"),
    ("20060131", "2006-01-31"),
    ("20230525120000-0500", "2023-05-25"),
    ("2011/09/01/", "2011-09-01"),
    ("2020-05-01T00:00:00Z", "2020-05-01"),
    ("2019-13-02", "2019"),
    ("2015 1st Quart", "2015"),
])  # fmt: skip
def test_date_is_read_as_far_as_it_is_given(text: str, date: str) -> None:
    found = parse_date(text)
    assert found is not None
    assert found.isoformat() == date


@pytest.mark.parametrize("text", ["in press", "n.d.", "1111", "9999", "", "20", "12345", None])
def test_what_is_no_year_is_none(text: str | None) -> None:
    assert parse_year(text) is None


@given(st.integers(min_value=EARLIEST_YEAR, max_value=LATEST_YEAR))
def test_bare_year_is_itself_as_text_and_as_number(year: int) -> None:
    assert parse_year(str(year)) == parse_year(year) == year


@given(st.text(max_size=60))
def test_any_text_gives_a_year_in_range_or_none(text: str) -> None:
    year = parse_year(text)
    assert year is None or EARLIEST_YEAR <= year <= LATEST_YEAR
