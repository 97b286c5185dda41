"""What is not searched for: attempts to instruct the system, and requests for personal medical advice.

The word lists are one weak layer among stronger ones (no event of the question reaches a model undelimited, and nothing
a model says is acted on unchecked). So they aim at few false alarms: a pattern needs an order *and* its object.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from openwork_contracts.question import Entity
from openwork_knowledge.notation import group

from openwork_query.domain.cleaning import views

_OBEYED = rf"(?:{group('instructions', 'told')}|what (?:i|you) )"
_BEFORE = group("instructions", "which")
_DROP = group("instructions", "drop")
_SHOW = group("instructions", "show")
_SECRET = group("instructions", "secret")
_PLAY = group("instructions", "play")
_PART = group("instructions", "part to play")
_MODE = group("instructions", "mode")

_INSTRUCTIONS: tuple[str, ...] = (
    # English: an order to drop, show or replace what the system was told.
    (rf"\b{_DROP}\b(?:\W+(?:about|of|and|{_BEFORE})){{1,6}}\W+(?:\w+\W+){{0,2}}{_OBEYED}"),
    (
        r"\b(?:ignore|disregard|forget|override)\b\W+(?:everything|anything|all (?:of )?(?:that|"
        r"this|the above)|what (?:i|you|was|were)|the above|above|previous(?:ly)? (?:said|"
        r"told|given|stated|text|messages?|conversation))\b"
    ),
    (
        r"\b(?:ignore|disregard|forget|bypass|override|break)\b\W+(?:all (?:of )?)?your\W+(?:\w+\W+)?(?:guidelines?|"
        r"programming|training|restrictions?|policy|policies|rules)"
    ),
    (
        rf"\b(?:do not|don'?t|never|stop) (?:follow|obey|comply with|adhere to|following|"
        rf"obeying)\W+(?:{_BEFORE}\W+)*{_OBEYED}"
    ),
    (
        rf"\b{_SHOW}\b[\w\s,']{{0,40}}"
        rf"\b(?:system|initial|original|hidden|secret|internal|developer|your)\W+{_SECRET}"
    ),
    (
        r"\bwhat (?:is|are|was|were) your (?:system |initial |original |hidden |secret |"
        r"exact )*(?:prompt|instructions|rules|guidelines|configuration|api key)"
    ),
    r"\brepeat (?:the|all|every|any)?\W*(?:words|text|everything|sentences?|lines?)\W+(?:above|before)",
    (
        rf"\b{_PLAY}\b[\w\s,]{{0,30}}\b(?:to be|as if|as though|as an?|like an?|that you(?:'re| are))\b"
        rf"[\w\s,'-]{{0,40}}\b(?:an? )?(?:\w+ ){{0,2}}{_PART}\b"
    ),
    (
        r"\byou(?:'re| are)? (?:are |now |going to |about to |will |must |have to |shall )*(?:now (?:a|"
        r"an|in|the|free|act)|act as|pretend|simulate|immerse yourself|become|roleplay|be (?:dan|"
        r"evil)|no longer (?:bound|an|a|restricted))\b"
    ),
    (
        r"\byou (?:are|will be) (?:dan|stan|dude|aim|jailbroken|unrestricted|freed)\b|\bfrom now on,? (?:you|"
        r"your|respond|answer|reply|act|always)\b"
    ),
    (
        r"\b(?:do anything now|dan mode|jailbreak(?:ed|ing)?"
        rf"|(?:enter|enable|activate|in|into|with|simulate) (?:\"|')?{_MODE} mode"
        r"|(?:developer|god|sudo|debug|unrestricted) mode (?:enabled|on|output|activated)"
        r"|no (?:restrictions|filters?|limitations|ethical guidelines))\b"
    ),
    r"\b(?:stop|cancel|halt|abort) everything\b|\bpretend (?:that )?you(?:'re| are)\b",
    r"\bnever ?mind\b.{0,40}\b(?:ignore|print|say|write|just)\b",
    (
        r"\b(?:just|only|simply|instead,?|please) (?:say|print|output|write|respond with|"
        r"reply with|answer with|return)\b\W*[\"'“‘«(]"
    ),
    (
        r"\b(?:respond|reply|answer|output|return|speak)\b\W+(?:only |always |exclusively |"
        r"solely |just )+(?:with|in|as|using)\b"
    ),
    (
        r"\b(?:your|the) (?:new|real|true|actual|next|only) (?:instructions?|task|role|goal|"
        r"objective|purpose|mission|prompt) (?:is|are|:)"
    ),
    (
        r"(?:^|\n|\b)(?:new|updated|additional|important|system|admin(?:istrator)?|developer|"
        r"override) (?:instructions?|prompt|message|command|note|override)\s*:"
    ),
    (
        r"<\|?(?:im_start|im_end|system|endoftext|assistant|user|inst)\|?>|\[/?(?:inst|system|"
        r"sys)\]|<<\s*/?sys\s*>>|###\s*(?:instruction|system|response|human|assistant)|</?(?:user_input|"
        r"question|system_prompt|instructions?|evidence|passage)>"
    ),
    r"(?:^|[\n.;!?]\s*)(?:system|assistant)\s*:\s*\w",
    (
        r"\b(?:execute|run|eval|exec)\b[\w\s]{0,20}\b(?:this|the following|following|these) (?:code|"
        r"command|script|shell|python|sql|query)"
    ),
    r"\b(?:drop table|rm -rf|import os|os\.system|subprocess\.|<script|javascript:|union select|' or '?1'?\s*=\s*'?1)",
    # Orders about the form or additions of the reply: a question about medicine gives none about "your response".
    (
        r"\b(?:in|of|to|from|at|into|throughout|within) (?:your|the) (?:response|reply|answer|"
        r"output|message|next message)(?:'s)?\b"
    ),
    (
        r"\b(?:modify|augment|enhance|change|alter|render|provide|scramble|end|start|begin|"
        r"finish|encode|convert|translate) your (?:response|reply|answer|output|message)\b"
    ),
    (
        r"\b(?:anagram|misspell|jumble|scramble|rearrange|encode|encrypt|reverse|rot13|base64)\b[\w\s]{0,30}\b(?:words?|"
        r"letters?|reply|answer|response|message|text)\b"
    ),
    (
        r"\b(?:reply|respond|answer)\b.{0,20}\b(?:as if you|without any (?:restriction|filter|"
        r"spaces)|in all caps|in rhyme|in base64|in pig latin|with only|with the word)\b"
    ),
    r"\b(?:act|respond|reply|answer|speak|talk|behave|write)\W+(?:only\W+)?as (?:an? |the )?"
    r"(?:\w+ ){0,2}(?:dan|\w*bot|\w*gpt|evil\w*|terminal|console|interpreter|shell|persona|pirate)\b",
    r"\b(?:new|next|different|real) (?:task|instruction|order|command)s?\s*:|\bas if you (?:had|have|were|are)\b",
    r"\b(?:you|machine|ai|model|assistant|bot)\b.{0,30}\b(?:with|has|have|had|without) (?:no |any )?"
    r"(?:rules|restrictions?|content policy|filters?|ethics|morals|limits|guardrails)\b",
    r"\b(?:translate|output|print|repeat|summari[sz]e|copy) (?:everything|all|your initiali[sz]ation|"
    r"the (?:text|words)) ?(?:above|before)?"
    r"\b(?=.{0,30}\b(?:above|before|initiali[sz]ation|into|to|in)\b)",
    (
        r"\b(?:your initiali[sz]ation|(?:first|previous|last) message in this (?:conversation|"
        r"chat)|instructions (?:were|did) you)\b"
    ),
    r"^\W*(?:just |please )?(?:say|print|write|output|echo|repeat|type)\W+[\"'“‘«]",
    # Other languages: the same order in its usual words (accents are removed before).
    (
        r"\b(?:no sigas|haz caso omiso de|no hagas caso (?:a|de)|hagan caso omiso de|desatiende)\b.{0,40}"
        r"\b(?:instruccion\w*|reglas|ordenes|anterior\w*)"
    ),
    (
        r"\b(?:ne tiens pas compte|ne tenez pas compte|ne suis pas|ne suivez pas|fais abstraction)\b.{0,40}"
        r"\b(?:instructions?|consignes?|regles|precedent\w*)"
    ),
    (
        r"\b(?:ignorera|glom|bortse fran|ignorer|glem|se bort fra)\b.{0,40}\b(?:instruktion\w*|"
        r"instrukser|anvisningar|tidigare|tidligere)\b"
    ),
    r"\b(?:abaikan|lupakan)\b.{0,30}\b(?:instruksi|perintah|arahan|sebelumnya)\b",
    r"bo qua.{0,30}(?:huong dan|chi dan|lenh|yeu cau)|αγνοησ\w*.{0,40}(?:οδηγι|εντολ)|αγνόησ\w*.{0,40}(?:οδηγί|εντολ)",
    (
        r"не (?:следуи?\w*|выполняи?\w*|слушаи?\w*).{0,30}(?:инструкци|указани|правил)|(?:忽略|"
        r"无视|無視).{0,6}(?:上面|上述|以上|内容|所有)"
    ),
    (
        r"\b(?:yok say|gormezden gel|unut)\b.{0,10}$|התעלם.{0,30}(?:ההוראות|הוראות)|نادیده بگیر.{0,40}|"
        r".{0,40}(?:دستور|قبلی).{0,20}نادیده"
    ),
    (
        r"\b(?:ignora|ignore|ignorar|ignorad|olvida|olvide|olvidate|omite|desobedece|descarta)\b[\w\s,]{0,40}\b(?:instruccion(?:es)"
        r"?|indicacion(?:es)?|ordenes|reglas|anterior(?:es)?|lo anterior|todo)\b"
    ),
    (
        r"\b(?:ignorez|ignore|ignorer|oubliez|oublie|oublier|neglige[rz]?|desobeis\w*)\b\W+(?:toute?s?|"
        r"tous|les|tes|vos|ces|tout|la|ce)\b[\w\s,']{0,40}\b(?:instructions?|consignes?|"
        r"regles|precedent(?:e?s)?|tout|directives)\b"
    ),
    (
        r"\b(?:ignoriere?n?|vergiss|vergessen|missachte|uberspringe|umgehe)\b[\w\s,]{0,40}\b(?:anweisung(?:en)"
        r"?|instruktion(?:en)?|regeln|vorherig\w*|bisherig\w*|alles|befehle?|vorgaben|system)\b"
    ),
    (
        r"\b(?:ignora|ignori|ignorate|dimentica|dimenticate|trascura)\b[\w\s,]{0,40}\b(?:istruzion[ie]|"
        r"regole|precedent[ei]|tutto|comandi)\b"
    ),
    (
        r"\b(?:ignore|ignora|esqueca|desconsidere|descarte)\b[\w\s,]{0,40}\b(?:instruc(?:oes|"
        r"ao)|regras|anterior(?:es)?|tudo|ordens)\b"
    ),
    r"\b(?:negeer|vergeet)\b[\w\s,]{0,40}\b(?:instructies?|regels|vorige|alles|opdrachten)\b",
    r"\b(?:zignoruj|ignoruj|zapomnij)\b.{0,40}\b(?:instrukcj\w+|polecen\w*|zasad\w*|poprzedni\w*|wszystk\w*)",
    (
        r"\b(?:onceki|yukaridaki|tum)\b.{0,40}\b(?:talimat\w*|komut\w*|yonerge\w*)\b.{0,30}\b(?:yok say|"
        r"unut|gormezden|dikkate alma)"
    ),
    (
        r"(?:игнорируи?\w*|забудь\w*|не обраща\w*\s+внимания|проигнорируи?\w*).{0,60}(?:инструкци|"
        r"указани|правил|команд|предыдущ|все|выше)"
    ),
    r"(?:ігноруи?\w*|забудь\w*).{0,60}(?:інструкці|правил|попередн)",
    r"(?:忽略|无视|無視|忘记|忘掉|忘記|不要理会|不理会|跳过).{0,20}(?:指令|指示|说明|說明|提示|规则|規則|之前|以上|前面|先前|所有)",
    r"(?:以前|前|上記|これまで|全て|すべて).{0,12}(?:指示|命令|指令|ルール|プロンプト).{0,10}(?:無視|忘れ)",
    r"(?:이전|위의|모든|앞의).{0,12}(?:지시|명령|지침|규칙|프롬프트).{0,12}(?:무시|잊)",
    r"(?:تجاهل|انس|اهمل|تجاهلي).{0,40}(?:تعليمات|التعليمات|الاوامر|السابقة|القواعد|كل)",
    r"(?:पिछल|पहल|सभी|उपरोक्त).{0,30}(?:निरदेश|निर्देश|आदेश|नियम).{0,30}(?:अनदेखा|अनदेख|भूल|नजरअंदाज|नज़रअंदाज)",
    (
        r"(?:系统提示|系統提示|システムプロンプト|시스템 ?프롬프트|системн\w+ (?:промпт|инструкц)|prompt (?:du |"
        r"de |del )?sistema|systemprompt|invite systeme|prompt systeme)"
    ),
)
_SQUEEZED = re.compile(
    r"(?:ignore|disregard|forget|bypass|override)(?:all|any|the|your|my|of|and|these|"
    r"previous|prior|above|preceding|following)+"
    r"(?:instruction|prompt|rule|direction|command)|(?:reveal|show|print)(?:me)?(?:your|"
    r"the)system(?:prompt|instruction)"
)
_REVERSED = re.compile(r"snoitcurtsni (?:suoiverp|evoba|roirp|ruoy)|tpmorp metsys")

_RELATIVE = rf"(?:\d+[- ]?(?:year|month|week|yr)s?[- ]?old|{group('personal_advice', 'relative')})"
_OWN_BODY = group("personal_advice", "own body")
_SHOULD = (
    r"(?:should|can|could|may|must|shall|would|do|does|will|is it (?:ok|okay|safe|fine|"
    r"alright|all right|dangerous|bad|normal|possible))"
)

_ASKS = rf"\b{_SHOULD}\b|\b(?:what|which|how|why|when|stop|safe|normal|problem|alright|all right|ok|okay|worr\w+)\b"
"""Any question of who speaks as a patient."""
_DONE_TO_OTHERS = (
    rf"(?:{group('personal_advice', 'done to others')}"
    r"|(?:do|perform) (?:[\w-]+ ){0,3}[\w-]+(?:ectomy|plasty|[ot]stomy|centesis|[vs]culari[sz]ation|intubation)"
    r"|(?:aim for|target) (?:in|after) (?:an? )?"
    r"(?:acute|severe|septic|critical|patients?|people|adults|children|women))"
)
"""What clinicians do, and nobody to himself: "should I anticoagulate", "should I do a thrombectomy"."""

_ADVICE: tuple[str, ...] = (
    rf"\b(?:should|shall|must|can|could|may|would) i\b(?!-)(?! (?:stay|go\b))(?! {_DONE_TO_OTHERS}\b).{{0,120}}",
    (
        r"\b(?:do|will|did|am|was) i\b.{0,60}\b(?:need|have|get|die|recover|take|stop|be|"
        r"having|pregnant|cured|at risk|sick|ill)\b"
    ),
    (
        r"\bwhat(?:'s| is| could be| might be)? wrong with (?:me|him|her|us)\b|\bdiagnose (?:me|"
        r"my|myself|him|her|this (?:rash|lump|mole))\b"
    ),
    (
        r"\b(?:treat|cure|heal|prescribe|advise|examine) me\b|\bprescribe\b.{0,30}\b(?:for me|"
        r"me something|my)\b|\b(?:advise|recommend|suggest|tell)\b me\b.{0,60}\b(?:take|"
        r"drug|medicine|medication|treatment|dose|stop|treat)"
    ),
    r"\bi(?:'m| am|'ve| have| had|'d| was| feel| felt| got| get| suffer| suffered| take|"
    r" took| weigh| experience| keep| think i| noticed| need| want| started| stopped)\b.{0,160}"
    r"\b(?:should|what|which|how|can|could|is it|do i|am i|help|please|dose|diagnos|treat|safe|normal|worried)",
    rf"\bwhat\b.{{0,60}}\b(?:can|should|do) (?:i\b(?! {_DONE_TO_OTHERS}\b)|my {_RELATIVE}\b)",
    (
        rf"\b{_SHOULD}\b.{{0,60}}\bmy {_RELATIVE}\b|\bmy (?:\w+[ -])?{_RELATIVE}\b.{{0,120}}\b(?:should|"
        rf"what|which|how|can|could|is it|dose|need|take|safe|help|normal|ok|okay)\b"
    ),
    (
        rf"\b(?:{_SHOULD}|what|how|which|why|when|is|are|stop|start|change|increase|reduce|"
        rf"interpret|explain|help|lower|treat|cure|fix)\b.{{0,80}}\bmy (?:own |current |daily |"
        rf"high |low |left |right |\w+ )?{_OWN_BODY}\b"
    ),
    rf"\bmy {_OWN_BODY}\b.{{0,120}}\b(?:what|should|is (?:it|this|that)|normal|do i|help|mean|worr|dangerous|can)\b",
    (
        r"\b(?:safe|ok|okay|good|bad|better|best|right|necessary|dangerous|harmful|risky|"
        r"recommended) for (?:me|us|him|her)\b"
    ),
    r"\b(?:mum|mom|dad|grandma|granny|grandpa)\b.{0,80}\b(?:should|can|could|need)\b",
    (
        r"\bi (?:think|believe|suspect|fear|worry|guess) (?:that )?i\b"
        r"|\bhow long (?:will|do|can|have) i\b|\bi am an? \d+"
    ),
    (
        rf"\bmy {_RELATIVE}\b.{{0,80}}\b(?:was|is|has|had|takes|took|feels|got|needs|fell|cannot|can't)\b"
        rf"|\b(?:our|his|her) {_RELATIVE}\b[^?]{{0,70}}\b(?:should|what do we)\b"
    ),
    rf"\bshould we\b.{{0,60}}\bour (?:\w+ )?{_RELATIVE}\b|^\W*(?:should|can|may) (?:he|she)\b",
    (
        r"\b(?:for|with) someone like me\b|\bin my (?:case|situation)\b|\bfor me\?"
        r"|\bgiven my (?:age|history|condition|symptoms|results|labs)\b"
    ),
    # Other languages, the commonest form.
    (
        r"\b(?:debo|puedo|deberia|devo|posso|dois-je|puis-je|devrais-je|soll(?:te)? ich|"
        r"darf ich|kann ich|muss ich)\b.{0,80}\b(?:tomar|dejar|prendre|arreter|nehmen|absetzen|"
        r"einnehmen|prendere|smettere|parar|warfarin\w*|medic\w+|medikament\w*)"
    ),
)
_MINE = re.compile(r"\bmy (?:\w+ )?$", re.IGNORECASE)
_IS_CLINICIAN = re.compile(
    rf"\b(?:i'?m|i am|i work as) an? (?:[\w-]+ ){{0,2}}{group('personal_advice', 'clinician')}\b", re.IGNORECASE
)
_OF_ONESELF = re.compile(r"\bmy\b|\bi (?:have|had|feel|take|took|got|suffer|am (?:taking|having|on))\b", re.IGNORECASE)
_CLINICIAN = re.compile(
    r"\b(?:my|our) (?:[\w-]+ ){0,3}(?:patients?|pts?|recipients?)\b"
    r"|\bi (?:have|am treating|treat|see|saw) (?:a|an|the|my|\d+)\b.{0,60}\bpatients?\b",
    re.IGNORECASE,
)
_AGED = r"\d{1,3}[- ]?(?:years?|yrs?|yo|y/o|y|months?|mo|weeks?|wks?|days?)(?:[- ]?olds?)?\b"
_CARED_FOR = (
    rf"(?:(?:(?!my\b)[\w.-]+ ){{0,4}}{group('personal_advice', 'cared for')}\b|(?:(?!my\b)[\w-]+ ){{0,2}}{_AGED})"
)
_SOMEBODY = rf"(?: (?:an?|this|the|two|some) {_CARED_FOR}| (?:an? |my )?(?:[\w-]+ )?\d+ ?[mf]\b)"
_NO_PATIENT = r"(?! an? (?:[\w-]+ ){0,3}?patients?\b)"
_OF_JUNIORS = r"(?!registrar|resident|trainee|intern\b|fellow|\w*student|nurse\b|house)"
_AS_PATIENT: tuple[str, ...] = (
    rf"\bmy (?:[\w-]+ ){{0,2}}{group('personal_advice', 'relative')}\b(?! (?:patients?|pts?)\b)",
    rf"\bmy (?:[\w-]+ )?{_OF_JUNIORS}{group('personal_advice', 'clinician')}s?\b",
    rf"\bmy (?:own |current |daily |high |low |left |right )?{_OWN_BODY}\b"
    r"(?! (?:clinic|patients?|ward|list|unit|team|round)\b)",
    r"(?<!sent )(?<!referred )(?<!transferred )(?<!presented )\b(?:for|with|to|on|in) me\b"
    r"|\bme (?:on|off|to|take)\b|\b(?:gave|given|put|prescribed) me\b"
    r"|\btold me (?:to|i|not|that i)\b",
    r"\bi(?:'m| am) (?:on|taking|having|pregnant|allergic|diabetic|breastfeeding|due|scheduled|worried|(?:an? )?\d+)\b",
    rf"\bi(?:'ve| have) (?:been|had|got|just been|just had|recently|also)\b{_NO_PATIENT}",
    r"(?<!can )(?<!do )(?<!could )(?<!should )(?<!would )"
    rf"\bi (?:have|had|get|got|feel|felt|suffer|take|took|weigh|was|were)\b(?!{_SOMEBODY})(?! (?:to|him|her|them)\b)",
)
"""A layperson's words for himself, for somebody close and for who treats them."""
_OF_A_PATIENT: tuple[str, ...] = (
    r"\b(?:i|we)\b(?:[^.?;]|\.\d|\b[a-z]\.){0,80}\b(?:him|her|his|them|their)\b",
    r"\b(?:his|her) (?:systolic|diastolic|bp|lvef|ef|egfr|inr|hb|ldl|hba1c|crcl|map|qtc?|bmi|creatinine|potassium)\b",
    rf"\b(?:i|we)\b(?:[^.?;]|\.\d|\b[a-z]\.){{0,90}}\b(?:an?|the|this|that|these|our|any|of|in|for) {_CARED_FOR}",
    rf"^\W*(?:(?:an?|the|this|our|new|case of an?)\s+)?{_CARED_FOR}",
    r"^\W*(?:[\w-]+ ){1,3}(?:question|query)\s*:",
    r"\b\d{1,3}\s?[MF]\b",
    r"\b(?:i|we)\b (?:[\w']+ ){0,4}?(?:transfus|intubat|anticoagulat|thrombolys|initiat|titrat)(?:e|ing)\b",
    r"\b(?:i|we) put (?:someone|somebody|people|(?:a )?patients?) (?:with|who|aged|on)\b",
    rf"(?<!\bmy )\b{_AGED}",
    r"\bmy (?:[3-9]\d|1[01]\d)[- ]?(?:year|yr|yo|y)",
    r"\b(?:i|we)\s+(?:treat|anticoagulate|prescribe|dose|titrate|manage|bridge|cover|transfuse|refer)\b",
    r"\b(?:in|to|on) (?:someone|somebody|patients?|people) (?:with|who|admitted|aged|after)\b",
    r"\b(?:more|fewer|losing|harming) patients\b",
    r"\bmy (?:[\w-]+ ){0,2}(?:unit|ward|clinic|service|practice|department|icu)\b",
    r"\b(?:overall|all-cause|in-hospital|\d+-day) mortality\b",
)
"""A clinician's words for who is cared for: another person, told by age and sex, of whom one speaks as a case."""


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Each by itself, on the first question: one expression of all of them could not be read in a failure."""
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def is_instruction(question: str) -> bool:
    """Whether the text tries to instruct the system instead of asking about medicine."""
    for view in views(question):
        if any(pattern.search(view) for pattern in _compiled(_INSTRUCTIONS)):
            return True
        if _SQUEEZED.search(re.sub(r"[\W_]+", "", view)) or _REVERSED.search(view):
            return True
    return False


def asks_for_personal_advice(question: str, entities: Sequence[Entity] = ()) -> bool:
    """Whether a particular person's own care is asked about ("should I", "my mother"), not what research shows.

    A disease or drug called "my" is enough. A clinician's "my patient" is no personal question, nor is "should patients
    with ...", nor "can I stop it in a woman of 80": who asks so treats somebody.
    """
    if _CLINICIAN.search(question) or (_IS_CLINICIAN.search(question) and not _OF_ONESELF.search(question)):
        return False
    own = any(_MINE.search(question, max(0, e.start - 40), e.start) for e in entities)
    plain = question.replace("’", "'")
    if own:
        return True
    if _says(_AS_PATIENT, plain):
        return _says((*_ADVICE, _ASKS), plain)
    return not _says(_OF_A_PATIENT, plain) and _says(_ADVICE, plain)


def _says(patterns: tuple[str, ...], text: str) -> bool:
    return any(pattern.search(text) for pattern in _compiled(patterns))
