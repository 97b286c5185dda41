"""A prompt as the stand-in reads it: which step asks, and the delimited blocks of data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from openwork_llm.untrusted import unescaped

_PROMPT_ID = re.compile(r"\(prompt ([a-z]+)\.v\d+\)")
_BLOCK = re.compile(r'<(data-[0-9a-f]{16}) name="([^"]+)">\n(.*?)\n</\1>', re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    api: str
    """gemini or openai."""
    model: str
    system: str
    turns: tuple[str, ...]
    schema: bool
    stream: bool
    thinking: str = ""
    key: str = ""
    safety: dict[str, str] = field(default_factory=dict)
    """Category to threshold; of Gemini."""
    sampling: dict[str, object] = field(default_factory=dict)
    """Temperature, effort and limit under the names they came with; of OpenAI's interface."""

    @property
    def step(self) -> str:
        """query, gap, synthesiser, reviser, verifier; empty for a prompt that is none of ours."""
        found = _PROMPT_ID.search(self.system)
        return found[1] if found else ""

    @property
    def user(self) -> str:
        """The first turn."""
        return self.turns[0] if self.turns else ""

    @property
    def again(self) -> bool:
        """Whether it is the second try after a misshapen answer."""
        return len(self.turns) > 1

    @property
    def n_chars(self) -> int:
        return len(self.system) + sum(map(len, self.turns))

    def blocks(self) -> dict[str, str]:
        """The data of the prompt by label, in order."""
        return {label: unescaped(text) for _, label, text in _BLOCK.findall(self.user)}

    def sources(self) -> dict[int, str]:
        """The passages by number, without titles and marks."""
        found = {}
        for label, text in self.blocks().items():
            if match := re.fullmatch(r"source (\d+)", label):
                lines = [
                    line for line in text.split("\n") if not line.startswith(("Title: ", "What it tested", "Graded"))
                ]
                found[int(match[1])] = re.sub(r"^Passage \([^)]*\): ", "", "\n".join(lines), flags=re.MULTILINE)
        return found

    def claims(self) -> dict[int, tuple[str, tuple[int, ...]]]:
        """The claims to be checked: text and cited numbers."""
        blocks = self.blocks()
        return {
            int(n): (blocks[f"claim {n}"], tuple(int(x) for x in cited.split(", ")))
            for n, cited in re.findall(r"^claim (\d+), cites ([\d, ]+)$", self.user, re.MULTILINE)
        }

    def failed(self) -> list[tuple[int, tuple[int, ...], str]]:
        """The sentences to be mended: number, cited sources, text."""
        texts = {
            int(label.split(",")[0].removeprefix("failed ")): text.split("\n", 1)[0]
            for label, text in self.blocks().items()
            if label.startswith("failed ")
        }
        cited = re.findall(r"^sentence (\d+), cites ([\d, ]+)$", self.user, re.MULTILINE)
        return [(int(n), tuple(int(x) for x in numbers.split(", ")), texts[int(n)]) for n, numbers in cited]

    def questions(self) -> dict[tuple[int, int], tuple[str, str]]:
        """The questions about them: (claim, question) to its kind and what looked wrong."""
        blocks = self.blocks()
        return {
            (int(claim), int(n)): (kind, blocks.get(f"suspicion of question {claim}.{n}", ""))
            for claim, n, kind in re.findall(r"^question (\d+)\.(\d+), kind (\w+): ", self.user, re.MULTILINE)
        }
