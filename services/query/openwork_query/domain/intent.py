"""What the asker wants to know: the first rule that fits decides.

Named things come first, form second, words third. "Does X cause Y" asks for a harm where X treats and for the origin
where it does not; "X for Y" asks whether X works; "recommended dose" asks for a dose. The words of each rule are the
groups of `intents.tsv`; the rules here say where and beside what they count. In expressions §t is a named treatment,
§d a disease, §h one that is typically a harm, §x a test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from openwork_contracts.question import Entity, Intent

from openwork_query.domain.reading import HARM, Reading

_YES_OR_NO = r"(?:^\W*|[:;,–—-]\s*)(?:does|do|did|can|could|will|would|has|have|is|are|was|were|may|might|should)\b"
_TREATMENT = r"(?:§t|{treats})"
_HOW_IT_WORKS = r"\bhow (?:does|do|did)\s+(?!(?:you|we|i|one|clinicians|doctors|physicians|guidelines)\b)"
_TREATED = (
    r"\bhow (?:is|are|should|can|could|do|would|to)\b.{1,60}\b(?:treat|manage)(?:d|ed|ing)?\b",
    r"\bshould (?:(?!\bnot\b).){1,80} (?:receive|be (?:given|offered|treated|used|started)|get)\b",
    r"\bshould (?:we|i|you|one|clinicians|doctors) (?:give|offer|use|start|treat)\b",
    r"\bwhen (?:should|is|are|to)\b.{1,60}\b(?:start(?:ed)?|initiated?|indicated|operate)\b",
)
_BEST_TREATMENT = (
    r"\b(?:what|which)\b.{0,20}\b(?:best|most effective|optimal|preferred|appropriate)\b.{0,30}"
    r"\b(?:treatment|therapy|regimen|drug|agent|approach)s?\b"
)
_GIVEN_AGAINST = (
    r"\bfor(?:\s+(?!patients?\b|people\b|those\b)|\W*$)",
    r"\bto (?:treat|prevent|reduce)\b",
    r"\bin the treatment of\b",
)
"""What a treatment is given against; "for patients with" says in whom."""
_COMPARED = (
    r"\b(?:more|less) (?:\w+ )?(?:effective|safe|efficacious)\w* than\b",
    r"\b(?:more|less)\b.*\bthan\b.*§t",
    r"§t\s*,?\s+(?:\w+\s){0,2}(?:or|against|over)\s+(?:\w+\s){0,2}§t",
    rf"^(?:(?:is|are|should|which|what)\W+)?(?:\w+\W+){{0,3}}{_TREATMENT}\s+or\s+(?:\w+\s+){{1,3}}(?:for|in)\b",
)
_KIND_OF_DOSE = r"(?<![\w-]){dose of another kind}\b(?!\s*(?:of|in|for)\b|\s*[?.,]|\s*$)"
"""Before a noun it names a treatment or a study; "what low dose of", "is a single dose?" ask for it."""
_HOW_MUCH = (
    r"\bhow much (?:(?:more|less|higher|lower|better|worse|fewer|longer|benefit|risk|harm|difference|good|of an?)\b"
    r"|(?:does|do|did|will|would|can|could|is|are|was|were)\b.{0,60}\b(?:rais|lower|reduc|increas|decreas|cut|chang|affect"
    r"|improv|worsen|prevent|help|prolong|extend|add to|shorten)\w*)"
)
"""How large an effect is, not how much of a drug."""
_COURSE_OF_NAMED = (
    r"\b{course of treatment}\s+(?:of|for|from)?\s*(?:\w+\s){0,3}§t",
    r"§t\W+(?:\w+\W+){0,2}{course of treatment}\b",
    r"\b(?:how|when) to {given}\b.{0,20}§t",
    r"\b(?:how|when) should\b.{0,40}§t.{0,30}\b{given}\b",
)
_COURSE_DOES = (
    r"\b(?:does|do|did|will|would)\b[^?.;]*\b(?:days?|weeks?|months?|years?|courses?) of\b[^?.;]*"
    r"\b(?:lower|reduce|prevent|cut|decrease|increase|raise|improve|shorten|delay|slow|speed)\b"
)
""" "Does six weeks of it lower the risk?" asks what a course does, and not how long it is."""
_COURSE = (
    rf"\bduration of\b.{{0,30}}{_TREATMENT}",
    r"\bhow (?:long|often)\b.{0,80}\b{given}\b",
    r"\bhow many (?:doses|days|weeks|months|years|injections|cycles)\b",
    r"\b\d+(?:\.\d+)?\s?(?:mg|mcg|µg|units|iu)\b",
    r"\bevery \d+ (?:hours|days|weeks|months)\b",
    r"\bfrom §t to §t\b",
)
_LESS_RISK = r"\b{less of}\s+(?:\w+\s+){0,2}(?:risk|incidence|rates?|odds|mortality)\b"
_DOES_HARM = (
    rf"{_TREATMENT}.*\b{{harmful effect}}\b",
    r"\b(?:association|link|relationship)\b.*§t",
    r"\b{more of}\b.*(?:§h|risk|rate|incidence|chance|likelihood|odds)",
    r"§t[- ](?:associated|induced|related)\b",
    r"^(?:(?!§t).)*(?:§[dh]|mortality|deaths?)\s+(?:\w+\s+){0,2}?"
    r"(?:with|after|from|on|due to|following|caused by)\s+(?:\w+\s+){0,2}§t",
)
_MAY_BE_GIVEN = r"\b(?:can|could|may|is it (?:ok|okay|fine|possible|allowed)|are patients allowed)\b.*\b{given}\b"
_BEARS_ON_OUTCOME = (
    r"^(?:(?!§t).)*\b(?:affect|influence|impact|determine|change|alter)s?\b(?:(?!§t).)*"
    rf"\b{{result}} (?:of|after|following|to|in) (?:\w+\s+){{0,3}}{_TREATMENT}"
)
_AFTER_TREATMENT = rf"\b{{setting}}\s+(?:\w+\s+){{0,4}}{_TREATMENT}\b"


def _screens(q: Reading) -> bool:
    """Screening by name; tests in people without symptoms; how often or from what age a test is done."""
    when = q.finds(r"\b(?:how often|at (?:what|which) age|what age)\b")
    return q.has("screening") or (q.tests and (when or q.has("without symptoms")))


def _compares(q: Reading) -> bool:
    """Two alternatives; two diseases set against each other are told apart, which is diagnosis."""
    if not q.treats and q.finds(r"§[dh].{0,20}\b(?:and|vs\.?|versus|from)\b.{0,20}§[dh]"):
        return False
    return q.has("compares") or q.finds(*_COMPARED)


def _defines(q: Reading) -> bool:
    return q.has("diagnostic criteria") or q.finds(r"\bhow (?:is|are) .{1,60} defined")


def _explains(q: Reading) -> bool:
    """How or why: a mechanism by name, or "how does"; a clinical pathway is none."""
    return (q.has("mechanism") and not q.has("not a mechanism")) or q.finds(_HOW_IT_WORKS)


def _doses(q: Reading) -> bool:
    """A dose, or the course of a treatment. "Low-dose" and "dose-response" name a treatment and a study."""
    if q.without(_KIND_OF_DOSE).without(_HOW_MUCH).finds(r"(?<![\w-]){dosing}(?![\w-])"):
        return True
    if q.names_treatment and not q.finds(_BEST_TREATMENT, _COURSE_DOES) and q.finds(*_COURSE_OF_NAMED):
        return True
    return q.treats and q.finds(*_COURSE)


def _asks_for_guideline(q: Reading) -> bool:
    """What is recommended, by such words; how a condition is treated; the best; "should X be vaccinated"."""
    if q.treats and not q.has("adverse events") and q.finds(r"\bshould\b.{1,80}\bbe \w+(?:ed|en)\b"):
        return True
    return q.has("asks for a guideline") or q.finds(_BEST_TREATMENT, *_TREATED)


def _diagnoses(q: Reading) -> bool:
    """How a condition is found; that people have been diagnosed says who is meant."""
    told = q.without(r"\b{not a diagnosis}\b") if q.treats else q
    return told.has("diagnosis") or q.finds(r"§x.{0,30}\b(?:exclude|confirm|for|in|of|findings)\b")


def _foretells(q: Reading) -> bool:
    """What foretells, by such words; how something else than a treatment does after one, or bears on its outcome."""
    if q.has("prognosis") or q.finds(_BEARS_ON_OUTCOME):
        return True
    asks = q.finds(_YES_OR_NO) and q.has("effect", "harmful effect", "becomes of people")
    if not asks or q.has("adverse events", "benefit"):
        return False
    return q.finds(_AFTER_TREATMENT) and not q.without(_AFTER_TREATMENT).treats


def _harms(q: Reading) -> bool:
    """A harm by name, or a treatment beside what makes a harm of what follows."""
    if q.has("adverse events") or (q.treats and q.finds(rf"{_TREATMENT}.*\b{{more of}} (?:\w+ ){{0,2}}(?:§h|risk)")):
        return True
    return q.names_treatment and (
        q.without(r"\b{not a harm}\b").has("harm of a treatment")
        or q.finds(*_DOES_HARM)
        or _beside_typical_harm(q)
        or _in_special_people(q)
        or _permits(q)
    )


def _beside_typical_harm(q: Reading) -> bool:
    """A typical harm beside a drug that is not given for it."""
    return HARM in q.text and not q.finds(*_GIVEN_AGAINST)


def _in_special_people(q: Reading) -> bool:
    """A drug in pregnancy, without a disease that it is given for; two drugs and nothing else."""
    if q.names_disease:
        return False
    return q.has("special population") or q.finds(r"^\W*§t\s*(?:and|with|\+|plus|&)\s*§t\W*$")


def _permits(q: Reading) -> bool:
    """Whether a treatment may be used in people who have something; not whether it is used against it."""
    return q.finds(_MAY_BE_GIVEN) and not q.finds(*_GIVEN_AGAINST)


def _works(q: Reading) -> bool:
    """Words of benefit beside a treatment, or of whatever is asked about with yes or no; a disease has no benefit."""
    if q.treats:
        return q.has("benefit", "effect", "more of") or q.finds(r"\bdo(?:es)?\b.*\bwork(?:ing)?\W*$")
    by_disease = q.finds(_YES_OR_NO + r"\s+(?:\w+\s+){0,2}§[dh](?!\w)")
    return not by_disease and q.has("benefit") and q.finds(_YES_OR_NO, r"\bwhat helps\b")


def _harms_rather_than_helps(q: Reading) -> bool:
    """A harm asked for before a benefit: what a treatment reduces is not its harm."""
    if not _harms(q) or not _works(q):
        return _harms(q)
    if q.finds(_LESS_RISK):
        return q.has("adverse events")
    return q.first("adverse events", "harm of a treatment", "harmful effect", "more of") < q.first("benefit")


def _asks_for_treatment(q: Reading) -> bool:
    """What to give, where nothing that could be given is named."""
    return not q.names_treatment and q.has("asks for a treatment")


def _recognises(q: Reading) -> bool:
    return not q.names_treatment and (q.has("recognises") or (q.tests and q.names_disease))


def _becomes(q: Reading) -> bool:
    """What becomes of people, or what bears on it, where no treatment is named."""
    return not q.names_treatment and (q.has("becomes of people") or (q.has("effect") and not q.treats))


def _biology(q: Reading) -> bool:
    return q.has("biology") or q.finds(r"\bhow (?:is|are|was|were)\b")


_RULES: tuple[tuple[Intent, Callable[[Reading], bool]], ...] = (
    (Intent.SCREENING, _screens),
    (Intent.COMPARATIVE_ANALYSIS, _compares),
    (Intent.DIAGNOSTIC_CRITERIA, _defines),
    (Intent.MECHANISM, _explains),
    (Intent.DOSING, _doses),
    (Intent.TREATMENT_GUIDELINE, _asks_for_guideline),
    (Intent.DIAGNOSIS, _diagnoses),
    (Intent.PROGNOSIS, _foretells),
    (Intent.ADVERSE_EVENTS, _harms_rather_than_helps),
    (Intent.EFFICACY, _works),
    (Intent.TREATMENT_GUIDELINE, _asks_for_treatment),
    (Intent.DIAGNOSIS, _recognises),
    (Intent.PROGNOSIS, _becomes),
    (Intent.MECHANISM, _biology),
)


def intent_of(question: str, entities: Sequence[Entity]) -> Intent:
    """The intent of the question.

    Without any telling word, a question about a treatment asks whether it works; one about a disease alone wants what a
    librarian would hand out first, guidelines and reviews of it in people; one that names neither is about biology,
    where animals count.
    """
    reading = Reading(question, entities)
    for intent, fits in _RULES:
        if fits(reading):
            return intent
    if reading.treats:
        return Intent.EFFICACY
    return Intent.TREATMENT_GUIDELINE if reading.names_disease else Intent.MECHANISM


def compares(question: str, entities: Sequence[Entity]) -> bool:
    """Whether the question sets alternatives against each other."""
    return _compares(Reading(question, entities))


def asks_of_label(question: str, entities: Sequence[Entity]) -> bool:
    """Whether the question also asks what sections of a label are about: doses, harms, people, approved uses."""
    reading = Reading(question, entities)
    if HARM in reading.text or reading.has("label section", "adverse events"):
        return True
    return _doses(reading) or _harms_rather_than_helps(reading)
