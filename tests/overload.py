"""A door and services on a clock that is moved by hand: what becomes of questions when too many are asked."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from openwork_gateway.domain.admission import Lag, Load, Verdict
from openwork_gateway.domain.turns import Turns
from openwork_gateway.settings import Settings

STEP_S = 0.01
_IDLE_S, _BUSY_S = 1.0, 0.2
"""Between two measurements, as `Pace` does it."""


@dataclass(eq=False)
class Question:
    """One that was asked, and what became of it."""

    name: str
    account: str
    asked_at: float
    deadline_s: float
    too_late: bool = False
    """Whether it waited past its deadline."""
    refused_at: float | None = None
    retry_after_s: float | None = None
    let_in_at: float | None = None
    done_at: float | None = None
    expected_s: float = 0.0
    """What the door expected when it was asked."""

    @property
    def in_time(self) -> bool:
        """Whether it was answered before its deadline."""
        return self.done_at is not None and self.done_at <= self.asked_at + self.deadline_s


@dataclass
class Stage:
    """A consumer whose services begin `per_s` messages a second, each evenly after the other."""

    name: str
    per_s: float
    waiting: deque[Question] = field(default_factory=deque)
    delivered: int = 0
    free_at: float = 0.0

    def work(self, now: float) -> list[Question]:
        """What it has done by now."""
        done: list[Question] = []
        while self.waiting and self.free_at <= now:
            done.append(self.waiting.popleft())
            self.delivered += 1
            self.free_at = max(self.free_at, now - STEP_S) + 1 / self.per_s
        return done


class Simulation:
    """Questions come at random, the door judges them as `Door` does, the services work through theirs."""

    def __init__(self, *stages: Stage, settings: Settings | None = None, seed: int = 1) -> None:
        settings = settings or Settings()
        self.load = Load(settings.queue_target_s, settings.queue_limit_s, settings.queue_burst_s)
        self.most_waiting = settings.account_waiting
        self.turns: Turns[Question] = Turns()
        self.stages = stages
        self.now = 0.0
        self.asked: list[Question] = []
        self._measure_at = 0.0
        self._random = random.Random(seed)

    def ask(self, account: str = "A", *, deadline_s: float = 30.0) -> Question:
        """One question now."""
        question = Question(str(len(self.asked)), account, self.now, deadline_s)
        self.asked.append(question)
        ahead = self.turns.ahead_of(account)
        judged = self.load.judge(account, ahead=ahead, left_s=deadline_s, now=self.now)
        question.expected_s = judged.expected_s
        if judged.verdict is Verdict.REFUSE or self.turns.waiting(account) >= self.most_waiting:
            question.refused_at, question.retry_after_s = self.now, judged.retry_after_s
        elif judged.verdict is Verdict.ADMIT:
            self._let_in(question)
        else:
            self.turns.add(account, question.name, question)
        return question

    def run(self, seconds: float, asked_per_s: Mapping[str, float] | None = None, *, deadline_s: float = 30.0) -> None:
        """Let time pass, with so many questions of each account in a second."""
        end = self.now + seconds
        while self.now < end:
            self.now += STEP_S
            for account, rate in (asked_per_s or {}).items():
                for _ in range(self._arrivals(rate * STEP_S)):
                    self.ask(account, deadline_s=deadline_s)
            self._work()
            if self.now >= self._measure_at:
                self._measure()

    def _arrivals(self, mean: float) -> int:
        """As many as come at random in a step; two at most, of a mean far below one."""
        return sum(self._random.random() < mean / 2 for _ in range(2))

    def _work(self) -> None:
        for stage, after in zip(self.stages, (*self.stages[1:], None), strict=True):
            for question in stage.work(self.now):
                if after is None:
                    question.done_at = self.now
                else:
                    after.waiting.append(question)

    def _measure(self) -> None:
        lags = {stage.name: Lag(len(stage.waiting), stage.delivered) for stage in self.stages}
        self.load.measure(lags, self.now, waiting=len(self.turns))
        for question in self.turns:
            if self.now > question.asked_at + question.deadline_s:
                question.too_late = True
                self.turns.remove(question.account, question.name)
        while self.load.has_room and (first := self.turns.take()) is not None:
            self._let_in(first)
        self._measure_at = self.now + (_BUSY_S if self.turns else _IDLE_S)

    def _let_in(self, question: Question) -> None:
        self.load.admitted()
        question.let_in_at = self.now
        self.stages[0].waiting.append(question)
