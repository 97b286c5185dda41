"""Facts told anew: templates by family, in each of which the fact stays what it was.

A template is a sentence of ours with slots; the choice among them, and every word, hangs on the seed alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

from tests.fakes.models.writing.facts import Fact, Family
from tests.fakes.models.writing.figures import Figures, number, percent_of, say_figures, say_pair, say_percent
from tests.fakes.models.writing.words import abbreviated, article_of, capital, own, say, small

Forms = Mapping[str, str]


def tell(fact: Fact, random: Random, forms: Forms) -> str:
    """One clause, with a small first letter and without a stop."""
    slots = {
        name: _worded(getattr(fact, name), random, forms) for name in ("outcome", "subject", "other", "place", "time")
    }
    clause = TELLERS[fact.family](fact, slots, random)
    return " ".join(clause.split())


def sentence(clause: str) -> str:
    """A clause with its capital and stop."""
    return f"{capital(clause)}."


def _worded(words: str, random: Random, forms: Forms) -> str:
    """A slot in the writer's words: the source's short forms, lay or technical words."""
    if forms and random.random() < 0.5:
        words = abbreviated(words, dict(forms), random)
    return say(words, random, most=2)[0] if words else ""


def _around(core: str, fact: Fact, slots: dict[str, str], random: Random, tail: str = "") -> str:
    """The core with what limits it, before or after, and its figures; a trial that speaks for itself comes first."""
    place, time = slots["place"], slots["time"]
    ends = [part for part in (place, time) if part]
    if ends and not fact.trial and random.random() < 0.5:
        first = ends.pop(random.randrange(len(ends)))
        return f"{first}, {' '.join([core, *ends])}{tail}"
    body = " ".join([core, *ends]) + tail
    if fact.trial:
        return small(random.choice(own("frame")["trial"]).format(t=fact.trial, c=body))
    if random.random() < 0.25:
        return small(random.choice(own("frame")["found"]).format(c=body))
    return body


def _many(words: str) -> bool:
    """Whether a noun phrase is plural, by its head: the last word before "of", "in", "for"."""
    head = re.split(
        r" (?:of|in|for|with|on|after|at|to|from|during|among|by|per|within|between|against|around)\b", words
    )[0]
    return bool(re.search(r"(?<![su'i])s$|\bpeople$|\bchildren$|\bwomen$|\bmen$|\bmice$", head)) or " and " in head


def _was(words: str, present: bool = False) -> str:
    return ("are" if _many(words) else "is") if present else ("were" if _many(words) else "was")


def _verb(kind: str, random: Random) -> tuple[str, str, str]:
    base, past, present = random.choice(own("verb")[kind]).split("/")
    return base, past, present


def _effect(fact: Fact, slots: dict[str, str], random: Random) -> str:
    agent, outcome = slots["subject"], slots["outcome"]
    base, past, present = _verb(fact.word, random)
    against = (
        f" {random.choice(('compared with', 'as against', 'relative to', 'next to'))} {slots['other']}"
        if fact.other
        else ""
    )
    by = f" by {say_percent(fact.by, random)}" if fact.by else ""
    if fact.modal:
        may = random.choice(("might", "may", "could")) if fact.modal != "could" else "could"
        ways = [f"{agent} {may} {base} {outcome}{against}", f"{outcome} {may} be {past} by {agent}{against}"]
        return _around(random.choice(ways), fact, slots, random, say_figures(fact.figures, random))
    done = present if fact.present and not _many(agent) else base if fact.present else past
    ways = [
        f"{agent} {done} {outcome}{by}{against}",
        f"{outcome} {_was(outcome, fact.present)} {past}{by} by {agent}{against}",
    ]
    if fact.word in own("noun") and not fact.present:
        noun = random.choice(own("noun")[fact.word])
        of_size = f" of {say_percent(fact.by, random)}" if fact.by else ""
        ways += [
            f"{agent} brought {noun}{of_size} in {outcome}{against}",
            f"with {agent} came {noun}{of_size} in {outcome}{against}",
        ]
    if fact.other and fact.word in own("compared") and not fact.by:
        more = own("compared")[fact.word][0]
        ways += [f"{outcome} {_was(outcome, fact.present)} {more} with {agent} than with {slots['other']}"] * 2
    return _around(random.choice(ways), fact, slots, random, say_figures(fact.figures, random))


def _no_effect(fact: Fact, slots: dict[str, str], random: Random) -> str:
    agent, outcome = slots["subject"], slots["outcome"]
    significant = random.choice(("significant ", "statistically significant ")) if fact.significant else ""
    clearly = "significantly " if fact.significant else ""
    against = f" compared with {slots['other']}" if fact.other else ""
    if not fact.word:
        ways = [
            f"{agent} made no {significant}difference to {outcome}{against}",
            f"{outcome} {_was(outcome)} not {clearly}affected by {agent}{against}",
            f"no {significant}effect of {agent} on {outcome} was seen{against}",
        ]
    else:
        base, past, _ = _verb(fact.word, random)
        ways = [
            f"{agent} failed to {clearly}{base} {outcome}{against}",
            f"{outcome} {_was(outcome)} not {clearly}{past} by {agent}{against}",
        ]
        if fact.word in own("noun"):
            noun = random.choice(own("noun")[fact.word]).split(" ", 1)[1]
            ways += [f"no {significant}{noun} in {outcome} was seen with {agent}{against}"] * 2
    return _around(random.choice(ways), fact, slots, random, say_figures(fact.figures, random))


def _comparison(fact: Fact, slots: dict[str, str], random: Random) -> str:
    outcome, arm, other, word, figures = slots["outcome"], slots["subject"], slots["other"], fact.word, fact.figures
    if random.random() < 0.5:
        arm, other, word = other, arm, own("reverse")[word][0]
        figures = _turned(fact)
    word = random.choice(own("adjective")[word])
    ran = random.choice((_was(outcome, fact.present), "turned out" if not fact.present else _was(outcome, True)))
    ways = [
        f"{outcome} {ran} {word} {arm} than {other}",
        f"{arm}, {outcome} {_was(outcome, fact.present)} {word} than {other}",
        f"{outcome} {_was(outcome, fact.present)} {word} {arm}, set against {_bare(other)}",
    ]
    return _around(random.choice(ways), fact, slots, random, say_figures(figures, random))


def _bare(arm: str) -> str:
    """An arm without its preposition."""
    return re.sub(r"^(?:in|with|among|for|on|after|under|at|given|receiving) ", "", arm)


def _turned(fact: Fact) -> Figures:
    pair = fact.figures.pair
    return replace(fact.figures, pair=(pair[1], pair[0]) if pair else None, measure="", ratio="", low="", high="")


def _no_difference(fact: Fact, slots: dict[str, str], random: Random) -> str:
    outcome = slots["outcome"]
    arms = f"between {slots['subject']} and {slots['other']}" if fact.subject else fact.word
    if fact.subject and random.random() < 0.5:
        arms = f"between {slots['other']} and {slots['subject']}"
    if fact.alike:
        with_arms = re.sub(r"^(?:between|in|among|across) ", "in ", arms)
        ways = [
            f"{outcome} {_was(outcome)} much the same {with_arms}",
            f"{outcome} came out alike {with_arms}",
            f"much the same {outcome} {_was(outcome)} seen {with_arms}",
        ]
    else:
        significant = (
            random.choice(("significant ", "statistically significant ", "statistically meaningful "))
            if fact.significant
            else ""
        )
        clearly = "significantly " if fact.significant else ""
        ways = [
            f"no {significant}gap in {outcome} emerged {arms}",
            f"as for {outcome}, there was no {significant}difference {arms}",
            f"{outcome} {_was(outcome)} not {clearly}different {arms}",
            f"a comparison of {outcome} {arms} showed no {significant}difference",
        ]
    return _around(random.choice(ways), fact, slots, random, say_figures(fact.figures, random))


def _link(fact: Fact, slots: dict[str, str], random: Random) -> str:
    one, other = slots["subject"], slots["outcome"]
    was = _was(one, fact.present)
    how = f"{fact.word} " if fact.word else ""
    if fact.word:
        ways = [f"{one} {was} {how}{random.choice(('linked to', 'tied to', 'related to'))} {other}"]
    else:
        go = ("goes", "go", "went")[2 if not fact.present else int(_many(one))]
        ways = [
            f"{one} {was} {random.choice(('linked to', 'tied to', 'connected with'))} {other}",
            f"{one} {go} together with {other}",
            f"{one} {go} hand in hand with {other}",
            f"{other} {'go' if _many(other) and fact.present else 'goes' if fact.present else 'went'} along with {one}",
            f"a link {'exists' if fact.present else 'was found'} between {one} and {other}",
        ]
    return _around(random.choice(ways), fact, slots, random, say_figures(fact.figures, random))


def _no_link(fact: Fact, slots: dict[str, str], random: Random) -> str:
    one, other = slots["subject"], slots["outcome"]
    significant = "significant " if fact.significant else ""
    ways = [
        f"no {significant}link was found between {one} and {other}",
        f"{one} {_was(one, fact.present)} not {'significantly ' if fact.significant else ''}tied to {other}",
        f"there was no {significant}sign that {one} went together with {other}"
        if not significant
        else f"no {significant}tie of {one} to {other} was seen",
    ]
    return _around(random.choice(ways), fact, slots, random, say_figures(fact.figures, random))


def _pair(fact: Fact, slots: dict[str, str], random: Random) -> str:
    assert fact.figures.pair is not None
    one, two = say_pair(fact.figures.pair, fact.figures.unit, random)
    outcome, arm, other = slots["outcome"], slots["subject"], slots["other"]
    x, y = (float(v) for v in fact.figures.pair)
    rest = say_figures(fact.figures, random, pair=False)
    ways = [
        f"{arm}, {outcome} came to {one}, against {two} {other}{rest}",
        f"{outcome} stood at {one} {arm} and {two} {other}{rest}",
        f"for {outcome}, the figures were {two} {other} and {one} {arm}{rest}",
        f"{other}, the figure for {outcome} was {two}, and {arm} it was {one}{rest}",
    ]
    if fact.figures.unit == "%" and x != y:
        apart = abs(number(fact.figures.pair[0]) - number(fact.figures.pair[1]))
        ways.append(f"{outcome} came to {one} {arm} and {two} {other}, about {apart} percentage points apart{rest}")
    if fact.figures.is_null:
        ways += [f"{outcome} came to {one} {arm} and {two} {other}, which is no significant difference{rest}"] * 2
    if fact.figures.is_shown and not fact.figures.is_null and x != y:
        less, more = ((arm, one), (other, two)) if x < y else ((other, two), (arm, one))
        ways += [f"{outcome} {_was(outcome)} lower {less[0]} than {more[0]} ({less[1]} versus {more[1]})"] * 2
    return _around(random.choice(ways), fact, slots, random)


def _share(fact: Fact, slots: dict[str, str], random: Random) -> str:
    percent = fact.percent or (percent_of(*fact.counts) if fact.counts else "") or ""
    shares = [say_percent(percent, random)]
    value = float(percent)
    if fact.counts and random.random() < 0.4:
        shares = [f"{fact.counts[0]} out of {fact.counts[1]}"]
    elif random.random() < 0.25:
        shares = [words for low, high, words in _ROUGHLY if low <= value <= high] or shares
    said, group = shares[0], slots["subject"]
    if "out of" in said:
        ways = [f"{said} {group} {slots['outcome']}"]
    else:
        said = {"few": "few", "most": "most"}.get(said, said)
        of = f"of the {group}" if not group.startswith(("the ", "these ")) else f"of {group}"
        ways = [f"{said} {of} {slots['outcome']}", f"{of}, {said} {slots['outcome']}"]
    return _around(random.choice(ways), fact, slots, random)


_ROUGHLY = ((55, 95, "more than half"), (65, 95, "most"), (5, 45, "fewer than half"), (3, 40, "a minority"))


def _level(fact: Fact, slots: dict[str, str], random: Random) -> str:
    assert fact.figures.pair is not None
    value = f"{fact.figures.pair[0]}{fact.figures.unit}"
    outcome = slots["outcome"]
    ways = [
        f"the {fact.word} {outcome} came to {value}",
        f"{outcome} had {article_of(fact.word)} {fact.word} of {value}",
        f"{article_of(fact.word)} {fact.word} of {value} was found for {outcome}",
    ]
    if fact.word in {"mean", "average"}:
        ways += [f"{outcome} averaged {value}"] * 2
    return _around(random.choice(ways), fact, slots, random)


def _advice(fact: Fact, slots: dict[str, str], random: Random) -> str:
    issuer, what = slots["subject"], slots["outcome"]
    place = f" {slots['place']}" if fact.place else ""
    ways = [
        f"{issuer} speaks in favour of {what}{place}",
        f"{issuer} advises {what}{place}",
        f"the advice of {issuer} is {what}{place}",
    ]
    return random.choice(ways)


def _hint(fact: Fact, slots: dict[str, str], random: Random) -> str:
    said, _ = say(fact.outcome, random, most=5)
    return small(random.choice(own("frame")[fact.word]).format(c=said))


def _plain(fact: Fact, slots: dict[str, str], random: Random) -> str:
    said, _ = say(fact.outcome, random, most=6)
    turned = re.fullmatch(r"((?:in|among|after|during|at) [^,]{5,80}), ([^,]+)", said)
    if turned and random.random() < 0.6:
        said = f"{small(turned[2])} {turned[1]}"
    return _around(said, fact, {"place": "", "time": ""}, random)


TELLERS: Mapping[Family, Callable[[Fact, dict[str, str], Random], str]] = {
    Family.EFFECT: _effect,
    Family.NO_EFFECT: _no_effect,
    Family.COMPARISON: _comparison,
    Family.NO_DIFFERENCE: _no_difference,
    Family.LINK: _link,
    Family.NO_LINK: _no_link,
    Family.PAIR: _pair,
    Family.SHARE: _share,
    Family.LEVEL: _level,
    Family.ADVICE: _advice,
    Family.HINT: _hint,
    Family.PLAIN: _plain,
}
