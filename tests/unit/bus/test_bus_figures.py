"""Figures of a service: counted, shown, read as Prometheus reads them, and put together with those of others."""

from __future__ import annotations

from openwork_bus.figures import Counter, Figures, Gauge, Histogram, merged

from tests.reading_figures import families, samples, value

ASKED = Counter("openwork_test_asked_total", ("who",), "Questions.")
OPEN = Gauge("openwork_test_open", ("door",), "Doors that are open.")
SECONDS = Histogram("openwork_test_seconds", (), "Time.", (1.0, 10.0))


def test_every_series_says_which_service_it_is_of() -> None:
    gap, query = Figures("gap"), Figures("query")
    gap.count(ASKED, "Ann")
    query.count(ASKED, "Ann", n=2)
    assert value(gap.text(), "openwork_test_asked_total", service="gap", who="Ann") == 1
    assert value(query.text(), "openwork_test_asked_total", service="query", who="Ann") == 2


def test_a_series_that_was_begun_is_there_before_anything_happened() -> None:
    """Prometheus sees no growth in a series that begins with 1."""
    figures = Figures("gap")
    figures.begin(ASKED, "Ann")
    assert value(figures.text(), "openwork_test_asked_total", who="Ann") == 0


def test_what_is_begun_again_keeps_what_was_counted() -> None:
    figures = Figures("gap")
    figures.count(ASKED, "Ann")
    figures.begin(ASKED, "Ann")
    assert value(figures.text(), "openwork_test_asked_total", who="Ann") == 1


def test_what_is_not_known_any_more_is_not_shown() -> None:
    """A lag that nobody tells is absent: the last one that was told would look like a quiet bus."""
    figures = Figures("gap")
    figures.show(OPEN, {("front",): 1.0, ("back",): 0.0})
    figures.show(OPEN, {("back",): 1.0})
    assert value(figures.text(), "openwork_test_open", door="back") == 1
    assert value(figures.text(), "openwork_test_open", door="front") is None


def test_times_fall_into_their_bounds() -> None:
    figures = Figures("gap")
    for seconds in (0.5, 2.0, 20.0):
        figures.observe(SECONDS, value=seconds)
    text = figures.text()
    assert [value(text, "openwork_test_seconds_bucket", le=bound) for bound in ("1.0", "10.0", "+Inf")] == [1, 2, 3]
    assert value(text, "openwork_test_seconds_sum") == 22.5


def test_what_is_looked_at_is_looked_at_when_somebody_reads() -> None:
    figures, doors = Figures("gap"), {("front",): 1.0}
    figures.before_reading(lambda: figures.show(OPEN, doors))
    assert value(figures.text(), "openwork_test_open", door="front") == 1
    doors[("front",)] = 0.0
    assert value(figures.text(), "openwork_test_open", door="front") == 0


def test_several_services_are_read_as_one_text_in_which_each_metric_is_described_once() -> None:
    """A second description of the same metric ends a scrape of Prometheus with an error."""
    gap, query, idle = Figures("gap"), Figures("query"), Figures("idle")
    for figures in (gap, query):
        figures.count(ASKED, "Ann")
        figures.observe(SECONDS, value=1.0)
    query.set(OPEN, "front", value=1.0)
    text = merged([gap.text(), query.text(), idle.text()])
    names = [line.split()[2] for line in text.decode().splitlines() if line.startswith("# TYPE")]
    assert sorted(names) == ["openwork_test_asked_total", "openwork_test_open", "openwork_test_seconds"]
    assert len(samples(text)) == len(samples(gap.text())) + len(samples(query.text()))
    assert {family.name: family.type for family in families(text)} == {
        "openwork_test_asked": "counter",
        "openwork_test_seconds": "histogram",
        "openwork_test_open": "gauge",
    }
