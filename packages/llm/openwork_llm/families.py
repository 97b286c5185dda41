"""What differs between families of models: temperature, thinking, room for it, and how all that is asked for.

A prompt says what its step wants (temperature, how much to think, how long the answer itself may be); this table turns
it into what a family takes. The first row whose pattern the model's id begins with is its family.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import get_args

from openwork_llm.messages import Thinking

_ORDER: tuple[Thinking, ...] = get_args(Thinking)


class Thinks(Enum):
    """How a family is told how much to think."""

    LEVEL = "level"
    """Gemini from 3: a word."""
    BUDGET = "budget"
    """Gemini 2.5: a number of tokens."""
    EFFORT = "effort"
    """OpenAI's chat API: `reasoning_effort`, a word."""
    UNASKED = "unasked"
    """Thinks without being told, and cannot be told over this API."""
    NEVER = "never"


class Heat(Enum):
    """Whose temperature is sent, where the family has none of its own."""

    OF_PROMPT = "of prompt"
    UNSENT = "unsent"


@dataclass(frozen=True, slots=True)
class Family:
    """Models that want the same settings."""

    name: str
    ids: str
    """Pattern that their ids begin with; a publisher's prefix ("openai/") does not count."""
    why: str
    """The reason for this row, with whose advice it is."""
    temperature: float | Heat = Heat.OF_PROMPT
    thinks: Thinks = Thinks.NEVER
    room: dict[Thinking, int] = field(default_factory=dict)
    """Levels that the family takes, each with the tokens of thinking that are counted into the limit of its output. For
    `BUDGET` the budget itself."""

    def temperature_for(self, wanted: float) -> float | None:
        """What is sent for a prompt's temperature; `None` = nothing."""
        if isinstance(self.temperature, float):
            return self.temperature
        return wanted if self.temperature is Heat.OF_PROMPT else None

    def thinking_for(self, wanted: Thinking) -> Thinking | None:
        """The least level of the family that is not below what a prompt wants; `None` = it knows no levels."""
        at = _ORDER.index(wanted)
        above = [level for level in _ORDER[at:] if level in self.room]
        return above[0] if above else max(self.room, key=_ORDER.index, default=None)

    def limit_for(self, answer_tokens: int, wanted: Thinking) -> int:
        """Output tokens to ask for: the answer's and the thinking's, since both are counted against one limit."""
        level = self.thinking_for(wanted)
        return answer_tokens + (self.room[level] if level is not None else 0)


FAMILIES = (
    Family(
        name="gemini 3 pro",
        ids=r"gemini-3(?:\.\d+)?-pro",
        why="Google advises 1.0 for Gemini 3: lower may loop or reason worse. Levels low and high, never none",
        temperature=1.0,
        thinks=Thinks.LEVEL,
        room={"low": 1536, "high": 8192},
    ),
    Family(
        name="gemini 3",
        ids=r"gemini-(?:[3-9]|flash|pro)",
        why="As above; Flash takes minimal and medium too. A level is no number: the room is what a step may think",
        temperature=1.0,
        thinks=Thinks.LEVEL,
        room={"minimal": 256, "low": 1024, "medium": 4096, "high": 8192},
    ),
    Family(
        name="gemini 2.5",
        ids=r"gemini-2\.5",
        why="A budget instead of levels; 512 is the least that all of 2.5 take (flash-lite)",
        thinks=Thinks.BUDGET,
        room={"minimal": 512, "low": 1024, "medium": 4096, "high": 8192},
    ),
    Family(
        name="openai, reasoning",
        ids=r"(?:o\d|gpt-5)",
        why="Refuses a temperature; reasoning is told by effort and counts into max_completion_tokens",
        temperature=Heat.UNSENT,
        thinks=Thinks.EFFORT,
        room={"low": 1536, "medium": 4096, "high": 8192},
    ),
    Family(
        name="gpt-oss",
        ids=r"gpt-oss",
        why="Its card advises 1.0; effort low to high",
        temperature=1.0,
        thinks=Thinks.EFFORT,
        room={"low": 1024, "medium": 4096, "high": 8192},
    ),
    Family(
        name="qwen 3, qwq",
        ids=r"(?:qwen-?3|qwq)",
        why="The cards advise 0.6: near 0 it repeats itself. Thinks first, over this API unasked",
        temperature=0.6,
        thinks=Thinks.UNASKED,
        room={"low": 3072},
    ),
    Family(
        name="deepseek r1",
        ids=r"deepseek-(?:r1|reasoner)",
        why="The card advises 0.5 to 0.7. Thinks first, unasked",
        temperature=0.6,
        thinks=Thinks.UNASKED,
        room={"low": 3072},
    ),
    Family(
        name="any other",
        ids="",
        why="Nothing is known of it: the prompts' own low temperatures keep it to the sources; no thinking asked for",
    ),
)
"""Read on 2026-11-22: ai.google.dev (Gemini 3 guide, thinking), platform.openai.com (reasoning), the models' cards."""


def family_of(model: str) -> Family:
    """The family of a model by its id; the last row's for one that is not known."""
    bare = model.rpartition("/")[2].casefold()
    return next(family for family in FAMILIES if re.match(family.ids, bare))
