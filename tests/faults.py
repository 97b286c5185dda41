"""The table of `tests/mutations.py`: faults that the tests must notice, each with the tests that are to do so.

Every one of them would lose, repeat or hang a run, or show a reader what was not checked. A fault is put in by
replacing `old`, a regular expression that stands exactly once in `file`; it is kept short: code may move around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault."""

    name: str
    """What the program does wrong then."""
    file: str
    """Where, from the repository's root; a glob where the file may move within its package."""
    old: str
    """Regular expression of what is replaced."""
    new: str
    """As for `re.sub`."""
    tests: tuple[str, ...]
    """Files that are to fail."""

    def put_into(self, root: Path) -> tuple[Path, str]:
        """The file of this fault and its text with the fault in it.

        Raises:
            LookupError: what is to be replaced does not stand there exactly once.
        """
        found = [(path, text) for path in sorted(root.glob(self.file)) if re.search(self.old, text := path.read_text())]
        n = sum(len(re.findall(self.old, text)) for _, text in found)
        if n != 1:
            raise LookupError(
                f"{self.name!r}: {self.old!r} stands {n} times in {self.file}; bring the table up to date"
            )
        path, text = found[0]
        return path, re.sub(self.old, self.new, text)


QUERY = "services/query/openwork_query/handlers.py"
RETRIEVERS = "services/retrievers/openwork_retrievers/handlers.py"
LIVE = "services/retrievers/openwork_retrievers/adapters/live.py"
NORMALISER = "services/normaliser/openwork_normaliser/handlers.py"
RERANKER = "services/reranker/openwork_reranker/handlers.py"
FULLTEXT = "services/fulltext/openwork_fulltext/handlers.py"
GAP = "services/gap/openwork_gap/handlers.py"
SYNTHESISER = "services/synthesiser/openwork_synthesiser/handlers.py"
VERIFIER = "services/verifier/openwork_verifier/handlers.py"
GATEWAY = "services/gateway/openwork_gateway/handlers.py"
DOOR = "services/gateway/openwork_gateway"
BUS = "packages/bus/openwork_bus"

QUERY_TESTS = ("tests/unit/query/test_query_handlers.py",)
RETRIEVERS_TESTS = ("tests/unit/retrievers/test_retrievers_handlers.py",)
NORMALISER_TESTS = ("tests/unit/normaliser/test_normaliser_handlers.py",)
RERANKER_TESTS = ("tests/unit/reranker/test_reranker_handlers.py",)
FULLTEXT_TESTS = ("tests/unit/fulltext/test_fulltext_handlers.py",)
GAP_TESTS = ("tests/unit/gap/test_gap_handlers.py",)
SYNTHESISER_TESTS = ("tests/unit/synthesiser/test_synthesiser_handlers.py",)
VERIFIER_TESTS = ("tests/unit/verifier/test_verifier_handlers.py",)
RIVAL_TESTS = ("tests/unit/verifier/test_rival_numbers.py",)
ADVISORY_TESTS = ("tests/unit/gateway/test_advisories.py",)
RERUN_TESTS = ("tests/unit/laptop/test_rerun_history.py",)
SETTLING_TESTS = ("tests/unit/bus/test_settling.py",)
REFUSAL_TESTS = ("tests/unit/bus/test_jetstream_refusals.py",)
OBJECT_TESTS = ("tests/unit/bus/test_objects.py",)
RUN_TESTS = ("tests/unit/bus/test_run.py",)
JOIN_TESTS = ("tests/unit/bus/test_join.py",)
TAKER_TESTS = ("tests/unit/bus/test_takers.py",)
ENUM_TESTS = ("tests/contract/test_open_enums.py",)
DOOR_TESTS = ("tests/unit/gateway/test_door.py", "tests/unit/gateway/test_door_waiting.py")
TURN_TESTS = ("tests/unit/gateway/test_turns.py",)
SHOW_TESTS = ("tests/unit/gateway/test_show.py", "tests/unit/gateway/test_requests.py")
ADMISSION_TESTS = ("tests/unit/gateway/test_admission.py",)
DEADLINE_TESTS = ("tests/unit/gateway/test_handlers.py",)
INBOX_TESTS = ("tests/unit/gateway/test_inboxes.py",)
SWEEP_TESTS = ("tests/unit/gateway/test_sweep.py",)
ON_TIME_TESTS = ("tests/unit/bus/test_on_time.py",)
LARGE_TESTS = ("tests/unit/flow/test_large_runs.py",)

FAULTS: tuple[Fault, ...] = (
    # Those that no unit test noticed when the tests had no bus of their own.
    Fault("retrieval may take the whole run", QUERY, r"\(run_due - now\) / 2", "run_due - now", QUERY_TESTS),
    Fault(
        "sources without a retriever are planned", QUERY,
        r"(for name in wanted) if name in settings\.source_names", r"\1", QUERY_TESTS,
    ),
    Fault(
        "a retriever's deadline is ignored",
        LIVE,
        r"min\(most_s, left_s - min\(_REPORT_S, left_s / 4\)\)",
        "most_s",
        RETRIEVERS_TESTS,
    ),
    Fault(
        "searched again on redelivery", RETRIEVERS,
        r"if run\.redelivered and await run\.stored\(.*\):", "if False:", RETRIEVERS_TESTS,
    ),
    Fault("an answer that cannot be parsed stays cached", LIVE, r"await port\.forget\(\)", "pass", RETRIEVERS_TESTS),
    Fault(
        "failed wins over completed", NORMALISER,
        r"return (run\.subject\(RetrievalCompleted, .*?\)), (run\.subject\(RetrievalFailed, .*?\))", r"return \2, \1",
        NORMALISER_TESTS,
    ),
    Fault(
        "stage 2 never starts at the deadline", RERANKER,
        r"deadline_at=documents\.fulltext_deadline_at", "deadline_at=None", RERANKER_TESTS,
    ),
    Fault("more than one further round", GAP, r"if run\.round > 1 or ", "if ", GAP_TESTS),
    Fault("the second round may take all the time", GAP, r"left / 2\)", "left)", GAP_TESTS),
    Fault(
        "a model may revise an extractive draft", SYNTHESISER,
        r"if first\.method == EXTRACTIVE:", "if False:", SYNTHESISER_TESTS,
    ),
    Fault("revision 1 asks for another", VERIFIER, r"if failed and event\.revision == 0:", "if failed:",
          VERIFIER_TESTS),
    Fault("half a disagreement is shown", VERIFIER, r"SectionKind\.CONFLICTS: 2", "SectionKind.CONFLICTS: 1",
          VERIFIER_TESTS),
    Fault(
        "another number must fit far better in its words (LEAD)",
        "services/verifier/openwork_verifier/domain/rivals.py",
        r"(\nLEAD = )0\.4\b", r"\g<1>4.0", RIVAL_TESTS,
    ),
    Fault("a full text is never stored", FULLTEXT, r"await library\.store\.put\(text\)", "None", FULLTEXT_TESTS),
    Fault("a full text of PMC's one answer for a round is never stored",
          "services/fulltext/openwork_fulltext/adapters/batch.py", r"await store\.put\(text\)", "None", FULLTEXT_TESTS),
    Fault("advisories of other streams are handled", GATEWAY,
          r"if notice\.stream not in \(STREAM, TIMERS_STREAM\):", "if False:", ADVISORY_TESTS),
    Fault(
        "one try less", f"{BUS}/middleware.py",
        r"if not permanent and tries <= len", "if not permanent and tries < len", SETTLING_TESTS,
    ),
    Fault("refusal code 10164 is unknown", f"{BUS}/storage.py",
          r"\(WRONG_LAST_SEQUENCE, WRONG_LAST_SEQUENCE_CONSTANT\)", "(WRONG_LAST_SEQUENCE,)", REFUSAL_TESTS),
    Fault("a full stream is taken for a repetition", f"{BUS}/storage.py",
          r"Refusal\.FULL if description in _FULL", "Refusal.THERE_ALREADY if description in _FULL", REFUSAL_TESTS),
    Fault(
        "a rerun copies the wrong history", "apps/*/openwork_*/runs.py",
        r"if s\.sequence < first\b", "if s.sequence > first", RERUN_TESTS,
    ),
    # Others of the kind.
    Fault(
        "a redelivered question is planned again", QUERY,
        r"if run\.redelivered and await run\.stored\(.*\):", "if False:", QUERY_TESTS,
    ),
    Fault("a source is asked after its deadline", LIVE, r"if left_s <= 0:", "if False:", RETRIEVERS_TESTS),
    Fault(
        "a failed source stops its run", RETRIEVERS,
        r"await run\.publish\(_failed\(event, run, error, elapsed_s=monotonic\(\) - started\)\)", "raise",
        RETRIEVERS_TESTS,
    ),
    Fault("a further round forgets the first", NORMALISER, r"if run\.round <= 1 else", "if True else",
          NORMALISER_TESTS),
    Fault(
        "full texts may take all the time", RERANKER,
        r"max\(plan\.run_deadline_at - now, timedelta\(\)\) / 2", "max(plan.run_deadline_at - now, timedelta())",
        RERANKER_TESTS,
    ),
    Fault(
        "a text that is gone stops the ranking", "packages/bus/openwork_bus/texts.py",
        r"except \(LookupError, ContractViolation, ValidationError\)", "except ZeroDivisionError", RERANKER_TESTS,
    ),
    Fault("a full text is fetched after its deadline", FULLTEXT, r"if left_s <= 0:", "if False:", FULLTEXT_TESTS),
    Fault(
        "a further round is begun that cannot be finished", GAP,
        r"left < timedelta\(seconds=settings\.gap_least_s\)", "left < timedelta()", GAP_TESTS,
    ),
    Fault("evidence is judged again on redelivery", GAP, r"if run\.redelivered and await", "if False and await",
          GAP_TESTS),
    Fault(
        "a revision forgets what the reader was to be told", SYNTHESISER,
        r"EXTRACTIVE, first\.degradations\)", "EXTRACTIVE, ())", SYNTHESISER_TESTS,
    ),
    Fault(
        "a revision from the sources forgets what was told of the model's draft", SYNTHESISER,
        r"\(\*first\.degradations, \*(\(\(why,\).*?\(\)\))\)", r"\1", SYNTHESISER_TESTS,
    ),
    Fault("a draft is judged again on redelivery", VERIFIER, r"if run\.redelivered and await", "if False and await",
          VERIFIER_TESTS),
    Fault("a join ignores when a timer was due", f"{BUS}/join.py", r" and cause\.due_at >= deadline_at", "",
          JOIN_TESTS),
    Fault(
        "every arrival does the work of a join", f"{BUS}/join.py",
        r"if not overdue and stored_outcomes and", "if False and", JOIN_TESTS,
    ),
    Fault("the first track to conclude ends the run", f"{BUS}/run.py", r"if len\(wanted\) > 1:", "if False:",
          RUN_TESTS),
    Fault("a second end is an error", f"{BUS}/run.py", r"(except SubjectTaken:\n\s+)return False", r"\1raise",
          RUN_TESTS),
    Fault(
        "another decision on a subject is taken for ours", f"{BUS}/jetstream.py",
        r"raise SubjectTaken\(.*\)", "return", REFUSAL_TESTS,
    ),
    Fault("a lost acknowledgement counts as a repetition", f"{BUS}/publishing.py", r"await put\(\) or ack_missing",
          "await put()", REFUSAL_TESTS),
    Fault("an object's checksum is not checked", f"{BUS}/objects.py", r"if len\(data\) != ref\.size or .*:",
          "if False:", OBJECT_TESTS),
    Fault("a full bucket is taken for a repetition", f"{BUS}/objects.py",
          r"refusal_of\(error\) is Refusal\.THERE_ALREADY", "refusal_of(error) is not Refusal.FINAL", OBJECT_TESTS),
    Fault("a replica that lags has lost an object", f"{BUS}/objects.py", r"if not await self\._is_stored\(subject\):",
          "if True:", OBJECT_TESTS),
    Fault("a repetition is judged by its body", f"{BUS}/bus.py",
          r"if isinstance\(event, QuerySubmitted\):(?=\s+same = stored)", "if True:", RUN_TESTS),
    Fault("a stopping service keeps its messages", f"{BUS}/middleware.py", r"await msg\.nack\(\)\n", "pass\n",
          SETTLING_TESTS),
    Fault("no dead letter is kept", f"{BUS}/middleware.py", r"await self\._dead_letter\(raw.*\)", "pass",
          SETTLING_TESTS),
    Fault("copied history is acted on", f"{BUS}/middleware.py", r"if headers\.get\(REPLAYED_HEADER\):", "if False:",
          SETTLING_TESTS),
    Fault("an event without a handler is accepted", f"{BUS}/service.py",
          r"if wanted != used\.keys\(\) or .*:", "if False:", TAKER_TESTS),
    Fault("large events are sent whole", f"{BUS}/codec.py", r"LARGE_OVER_BYTES = 256 \* 1024",
          "LARGE_OVER_BYTES = 2**30",
          LARGE_TESTS),
    Fault("an old reader fails on a new value", "contracts/openwork_contracts/enums.py",
          r"if not isinstance\(value, str\):", "if True:", ENUM_TESTS),
    Fault("a changed default beside a reference is additive", "contracts/openwork_contracts/compatibility.py",
          r"return \{key: other for key, other in value\.items\(\) if key != \"\$ref\"\}", "return {}", ENUM_TESTS),
    # The doors.
    Fault("anybody may ask on behalf of a person", f"{DOOR}/door.py",
          r"if request\.on_behalf_of and account != API_ACCOUNT:", "if False:", DOOR_TESTS),
    Fault("a question is begun before its deadline is set", f"{DOOR}/door.py",
          r"await self\.set_deadline\(asked\)\n(?=\s+begun = )", "pass\n", DOOR_TESTS),
    Fault("an inbox message is acknowledged before its run is stored", f"{DOOR}/door.py",
          r"try:\n(?=\s+await self\.begin\(asked\))",
          "if asked.settle:\n            await asked.settle()\n        try:\n", DOOR_TESTS),
    Fault("what waited too long is begun", f"{DOOR}/door.py",
          r"if asked\.deadline_at <= datetime\.now\(UTC\):", "if False:", DOOR_TESTS),
    Fault("a message that is delivered again waits twice", f"{DOOR}/domain/turns.py",
          r"\[name\] = item", "[name + str(id(item))] = item", (*TURN_TESTS, *DOOR_TESTS)),
    Fault("one account is served to its end first", f"{DOOR}/domain/turns.py",
          r"self\._queues\.move_to_end\(account\)", "pass", TURN_TESTS),
    Fault("a queue that stays is never refused", f"{DOOR}/domain/admission.py",
          r"return is_over and self\.over_s >= most_s", "return False", ADMISSION_TESTS),
    Fault("many at once are refused at once", f"{DOOR}/domain/admission.py",
          r"return is_over and self\.over_s >= most_s", "return is_over", ADMISSION_TESTS),
    Fault("another's run is shown", f"{DOOR}/requests.py",
          r"if history\[0\]\.event\.meta\.owner != owner:", "if False:", SHOW_TESTS),
    Fault("the text of a draft is shown", f"{DOOR}/requests.py",
          r"isinstance\(event, AnswerDrafted \| RevisionRequested\)", "False", SHOW_TESTS),
    Fault("a run out of time goes on", f"{DOOR}/handlers.py",
          r"ended = await run\.fail\((?s:.*?)\n    \)\n", "ended = False\n", DEADLINE_TESTS),
    Fault("what kills gateways is read a fifth time", f"{DOOR}/inboxes.py", r">= _LAST_TRY", ">= 10**9", INBOX_TESTS),
    Fault("the sweep ends runs before their time", f"{DOOR}/sweep.py", r"_TIMER_FIRST = timedelta\(seconds=2\)",
          "_TIMER_FIRST = timedelta(days=-999)", SWEEP_TESTS),
    Fault("work of an overdue run is done", f"{BUS}/middleware.py",
          r"if is_overdue\(raw.*\):", "if False:", ON_TIME_TESTS),
    Fault("work of a run that has ended is done", f"{BUS}/middleware.py",
          r"elif await self\._ended\(raw\.subject\):", "elif False:", ON_TIME_TESTS),
    Fault("another's question under the same run id is a repetition", f"{BUS}/bus.py",
          r"\(ours\.event_id, ours\.owner\) == \(theirs\.event_id, theirs\.owner\)", "True", RUN_TESTS),
    Fault("a deadline of an earlier try that is over counts", f"{BUS}/run.py",
          r"if set_for >= min\(due_at, .*\):", "if True:", RUN_TESTS),
    Fault("a deadline that came before its work is lost", f"{BUS}/join.py",
          r"if datetime\.now\(UTC\) - run\.stored_at >= _WORK_AFTER_TIMER:", "if True:", NORMALISER_TESTS),
)  # fmt: skip
