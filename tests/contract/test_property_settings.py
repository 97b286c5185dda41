"""How property tests are run."""

from __future__ import annotations

from hypothesis import settings


def test_no_property_test_has_a_limit_of_time_for_one_example() -> None:
    """Such a limit measures how busy the machine is; every profile of ours has none."""
    assert settings().deadline is None
    assert settings(max_examples=5).deadline is None
    assert {settings.get_profile(name).deadline for name in ("local", "ci")} == {None}
