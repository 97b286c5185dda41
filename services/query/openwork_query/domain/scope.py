"""Whether a question is about medicine or the biology behind it.

A question counts as biomedical when it names a disease, drug or procedure, a word of the field, or an identifier such
as a gene, and is not plainly a task of another kind (a poem, a recipe, program code, general knowledge).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openwork_contracts.question import Entity

_STEMS = (
    # people and places of care
    "patient|clinic|medic|physician|doctor|surgeon|surg|nurs|hospital|health|care unit|"
    "intensive care|icu|ward|primary care|caregiver|midwi|pharmac|dentist|dental|"
    "radiolog|oncolog|cardiolog|neurolog|psychiat|psycholog|paediatr|pediatr|obstet|"
    "gyn(?:a?e)col|dermat|ophthalm|otolaryng|urolog|nephrolog|"
    "hematolog|haematolog|patholog|epidemiolog|immunolog|microbiolog|virolog|toxicolog|"
    "physiolog|anatom|histolog|cytolog|embryolog|genetic|genom|proteom|"
    "metabolom|transcriptom|epigen|biochem|bioinformat|neurosci|rehabilit|telehealth|biobank|"
    # illness and its course
    "disease|syndrome|disorder|illness|sickness|symptom|infect|inflamm|injur|fractur|"
    "wound|trauma|tumou?r|cancer|carcinom|malignan|metasta|neoplas|lesion|"
    "chronic|acute|congenital|hereditary|inherit|mutation|morbid|mortal|surviv|prognos|"
    "diagnos|etiolog|aetiolog|pathogen|epidemi|pandemic|outbreak|quarantine|"
    "contagi|transmission|virus|viral|bacteri|fung(?:us|al|i)\\b|parasit|microb|pain|"
    "fever|cough|nausea|bleed|h(?:a?e)morrh|swell|fatigue|dizz|"
    "deficien|dysfunction|failure|toxic|poison|overdose|allerg|immun|antibod|antigen|vaccin|"
    # treatment and study
    "treat(?:ment|ed|ing)|therap|drug|medicine|dose|dosage|prescri|placebo|trial|randomi[sz]|"
    "cohort|meta-analys|systematic review|intervention|surgery|operat(?:ion|ive)|"
    "transplant|implant|graft|prosthe|stent|catheter|screening|biomarker|diagnostic|"
    "imaging|radiograph|sonogra|ultrasound|tomogra|endoscop|biops|anesth|anaesth|"
    "sedation|analges|adverse|side effect|contraindicat|efficacy|tolerab|dialys|ventilat|"
    "resuscitat|injection|infusion|transfus|supplement|diet(?:ary)?\\b|nutrition|"
    "exercis|smok|alcohol|obes|overweight|weight loss|vitamin|calorie|"
    # body and cell
    "cell(?:s|ular)?\\b|tissue|gene\\b|genes\\b|protein|enzyme|receptor|kinase|hormon|"
    "neuron|neural|brain|heart|cardia|lung|pulmon|liver|hepat|kidney|renal|"
    "stomach|gastr|intestin|bowel|colon|gut\\b|skin|bone|muscle|joint|spin(?:e|al)|"
    "blood|plasma|serum|urin|bladder|uter|ovar|testi[sc]|prostat|breast|thyroid|pancrea|"
    "spleen|"
    "retin|cornea|ocular|vision|eye\\b|hearing|ear\\b|nasal|nose|throat|tooth|teeth|"
    "tongue|tonsil|oral|vascul|artery|arter|vein|venous|lymph|marrow|nerve|limb|hip\\b|"
    "knee|"
    "shoulder|ankle|femor|tibia|vertebr|cervical|lumbar|pelvi|abdom|thora|airway|trachea|"
    "esophag|oesophag|membrane|mitochond|chromosom|chromatin|dna\\b|rna|transcript|"
    "epitheli|endotheli|stem cell|embryo|fetal|fetus|foet|pregnan|birth|newborn|neonat|"
    "infant|breastfe|maternal|menopaus|puberty|aging|ageing|elderly|geriatr|"
    "insulin|glucose|cholesterol|lipid|metabol|signal(?:l)?ing pathway|microbio|apopto|"
    "oxidative|cytokin|peptide|amino acid|nucleotid|ligand|inhibitor|agonist|antagonist|"
    "pharmacokinet|receptor|plasmid|crispr|sequencing|pcr\\b|assay|antioxid|neuro|psycho|"
    "cogniti|dementia|suicid|depress|anxi|stress\\b|sleep|mental|autis|"
    "quality of life|life expectancy|body mass|bmi\\b|ecg\\b|mri\\b|species|organism|"
    "animal model|mice\\b|mouse|rats?\\b|zebrafish|transgender|sexual|contracept|fertil|"
    "abort|"
    # the senses, development, behaviour and society as health research sees them
    "smell|olfact|taste|hypoplas|aplas|dysplas|disabilit|disabled|impair|handicap|blind(?:ness)?\\b|"
    "deaf|posture|gait\\b|plantar|palmar|vagin|ureter|urethr|kidney|lithotri|"
    "asphyxi|cyst(?:s|ic)?\\b|hernia|palsy|paraly|concuss|memory|attention deficit|"
    "spatial attention|affective|prosody|deficits?\\b|addict|withdrawal|"
    "postpartum|perinatal|prenatal|antenatal|adolescen|young adults|older (?:people|"
    "adults|persons)|seniors\\b|pedestrian|home visit|visiting nurse|"
    "resident(?:s|'s)?\\b|residency|medical student|mrcgp|general practi|family practice|"
    "workforce|picu|nicu|iud\\b|contracep|laser|holmium|trendelenburg|cycloplegic|refract|"
    "socio-?economic|inequalit|disparit|public awareness|health insur|support and service needs|"
    "food (?:policy|environment|shopping)|vegetable consumption|physical activit|"
    "active travel|sports participation|work(?:-| )?hours|occupational|ergonom|accident prevention|"
    "helmet|seat ?belt|cigarette|tobacco|vaping|cannabis|marijuana|opioid|cocaine|"
    "tired|exhaust(?:ed|ion)|lab results?|wrong with (?:me|him|her)|feel(?:ing)? (?:sick|ill|unwell)|"
    "peer review(?:er)?s?\\b|citation rate|outcome measure|recovery outcome|"
    # molecules and the laboratory
    "enhancers?\\b|promoters?\\b|ion channel|sodium (?:leak )?channel|potassium channel|"
    "calcium channel|signature|epi[a-z]{4,}|ortho[a-z]{5,}|carrier(?:s)? (?:rate|approved)|"
    "oxygen carrier|"
    "mechanism of action|active ingredient|approved (?:for|by)|target of|indicated for|"
    "indication of|used (?:for|in) (?:the )?(?:treat|prevent|diagnos)|people (?:are )?affected by|"
    "outlook for|is .{3,50} inherited|lunar position|time of delivery|sequenc(?:e|ing)|"
    "phylogen|taxonom|evolutionar|in vitro|in vivo|ex vivo|photosynthe|ecolog|predator|"
    "habitat|"
    "chlamydia|helicobacter|salmonell|staphylo|strepto|escherich|mycobacter|plasmodium|"
    "trypanos|leishman|candida\\b|drosophila|elegans\\b|xenopus|yeast|eukaryot|prokaryot|"
    "myosin|actin\\b|actomyosin|tubulin|microtubul|integrin|myelin|amyloid|synap|catenin|"
    "glycan|histone|collagen|keratin|h(?:a?e)moglobin|albumin|globulin|prostagland|"
    "tryptamin|catechol|dopamin|serotonin|phosphorylat|ubiquitin|methylat|acetylat|"
    "glycosylat|mesoderm|ectoderm|endoderm|differentiation|nuclei\\b|nucleus|biomaterial|"
    "end joining|strand break|okazaki|codon|ribosom|polymorphism|allele|phenotyp|genotyp|"
    "action potential|stimul(?:us|i)\\b|self-?harm|harming themselves|visual|bull(?:y|"
    "ied)|"
    "low-income countr|body temperature|ventricul|atri(?:al|um)\\b|adrenerg|cholinerg|"
    "tics?\\b|ulcer|hyperactiv|serolog|rating scale|non-?inferior|multicent(?:er|re)|"
    "circumference|reflux|secret(?:ion|ory)|digest|hygien|obstruct|perforat|rupture|"
    "stenos|spasm|seizur|tremor|fracture|dislocat|ligament|tendon|cartilage|disc hernia|"
    "sperm|semen|"
    "icd\\b|who guideline|cochrane|pubmed|evidence-based|informed consent|end of life|"
    "palliat|euthan|advance directive|hygiene|sanita|mask(?:s|ing)?\\b|social distanc"
)
_FIELD = re.compile(
    (
        rf"\b(?:un|non-?|re|pre-?|post-?|anti-?|intra-?|inter-?|hyper|hypo|multi-?|sub|extra|"
        rf"endo|peri|micro|macro|poly)?(?:{_STEMS})|\b\w*(?:cyte|blast|plasty)s?\b"
    ),
    re.IGNORECASE,
)
_AFFIX = re.compile(
    r"\b\w{3,}(?:phil|phils|phage|phages|itis|osis|oses|emia|aemia|ectomy|otomy|ostomy|"
    r"plasty|scopy|graphy|pathy|pathies|algia|plegia|penia|philia|phobia|trophy|lysis|"
    r"uria|genesis|"
    r"oma|omas|omata|mab|nib|gliptin|sartan|prazole|statin|vir|mycin|cillin|azole|idine|"
    r"terol|caine|xaban|parin|ase|ases|kinase|globulin|toxin|vaccine|dermia|rrhea|rrhoea|"
    r"otherapy|"
    r"leucel|ligase|some|omics|ome|virus|coccus|bacillus|gen|cyst|lepsy|esthesia|aesthesia|"
    r"ptosis|edema|oedema|phagia|cept|tide|imod|mide|ciclib|rasib|asib|fermin|tug|cel|"
    r"stat|virus|vec|gene|sen|siran)\b",
    re.IGNORECASE,
)
_COMMON = re.compile(
    r"\b(?:excel|novel|marcel|nickel|tinsel|parcel|cancel|excelled|vessel|arsen|chosen|"
    r"frozen|citizen|essen|lessen|loosen|worsen|thermostat|photostat|some|awesome|handsome|"
    r"troublesome|lonesome|tiresome|gruesome|wholesome|base|bases|case|cases|phase|phases|"
    r"database|databases|purchase|purchases|increase|decrease|release|"
    r"please|lease|chase|phrase|erase|ease|tease|grease|vase|vases|home|rome|come|become|"
    r"income|outcome|welcome|chrome|dome|syndrome|tome|oxygen|gen|coma|aroma|diploma|"
    r"oklahoma|"
    r"accept|except|concept|intercept|sophia|analysis|geography|photography|biography|"
    r"cinematography|choreography|typography|empathy|sympathy|genesis|apostrophe|trophy|"
    r"uppercase|lowercase|"
    r"showcase|suitcase|bookcase|paraphrase|riptide|low tide|tide|amide|cryptography|"
    r"bibliography|calligraphy|paralysis|virus|mesome|tacoma|palindrome|hippodrome|chromosome|"
    r"copenhagen|"
    r"nine some|customise|volkswagen|mongoose|knowledge base)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"\b(?:[A-Z]{2,}[a-z]?\d+[A-Z\d]*|[A-Z]{1,5}-?\d{1,4}[A-Za-z]{0,2}|[a-z]{1,3}[A-Z]{2,}\w*|"
    r"[A-Z]{2,}[a-z]{0,2}RNAs?|[A-Z][a-z]{1,3}\d{1,3}|[A-Z][a-z]{2}[A-Z]|miR-?\d+\w*|"
    r"[a-z]{2}[A-Z][a-z])\b"
)
_NOT_IDENTIFIER = re.compile(
    r"\b(?:WW\d|COP\d+|F1|G7|G20|MP3|MP4|PS[345]|B2B|C3PO|R2D2|A4|H1B|GPT-?\d\w*|iOS|"
    r"macOS|iPhone|eBay|HTML5|CSS3|ES6|USB-?C?\d?|WW-?II|X11|Web3|Q[1-4]|UTF-?8|SHA-?\d+|"
    r"MD5|IPv[46]|EC2|S3|K8s|Windows-?\d+|SQL\d*)\b"
)

_OTHER_TASKS = re.compile(
    r"\b(?:write|compose|draft|create|generate|tell|give|provide|make|develop|produce|"
    r"sing)\b(?: me| us)?(?: an?| the| some)?[\w\s,-]{0,30}\b(?:poem|song|lyrics|story|"
    r"joke|essay|speech|"
    r"letter|email|limerick|haiku|rap|novel|script|screenplay|blog|tweet|slogan|riddle|"
    r"dialogue|cover letter|resume|cv|advertisement|headline|recipe|function|program|"
    r"code|regex|query in sql|website|app)\b|"
    r"\b(?:recipe (?:for|of)|how (?:do i|to|can i|do you) (?:bake|cook|make (?:a |an )?(?:cake|"
    r"bread|pizza|pasta|soup|pie|lasagna|curry|omelet\w*|coffee)|fry|grill|brew)|bake a|"
    r"cook a|ingredients (?:for|of) (?:a )?\w+ (?:cake|pie|bread|soup|sauce))\b|"
    r"\b(?:python|javascript|typescript|java|c\+\+|c#|rust|golang|php|sql|html|css|mysql|"
    r"react|django|kubernetes|docker|git|linux|bash|regex|algorithm|compiler|recursion|"
    r"linked list|binary tree|api endpoint|leetcode|stack ?overflow|excel (?:formula|"
    r"macro)|json|source code|programming|software engineer\w*)\b|"
    r"\b(?:def \w+\(|print\(|console\.log|#include|public static void|select \* from|"
    r"import \w+ as|function\s*\(|for i in range|=>|while\s*\(true\))|"
    r"\b(?:capital (?:city )?of|population of (?!patients)|president of|prime minister of|"
    r"who (?:wrote|painted|invented the (?!pacemaker)|won|directed|composed|sang|discovered america)|"
    r"tallest (?:building|mountain)|largest (?:country|ocean|city|planet)|longest river|"
    r"fastest car|world cup|super bowl|olympic|nba|nfl|premier league|football match|"
    r"movie|film|netflix|celebrity|box office|hollywood|video ?game|playstation|xbox|"
    r"bitcoin|cryptocurrency|stock (?:price|market)|mortgage|interest rate|tax return|"
    r"exchange rate|"
    r"weather (?:today|tomorrow|forecast|in \w+ (?:today|tomorrow))|horoscope|zodiac|"
    r"hotel|flight|restaurant|travel itinerary|vacation|tourist|world war|french revolution|"
    r"roman empire|"
    r"theory of relativity|quantum (?:physics|mechanics|computing)|black hole|solar panel|"
    r"quadratic equation|derivative of|integral of|pythagor|prime number|square root|"
    r"shakespeare|romeo and juliet|great gatsby|harry potter|star wars|game of thrones|"
    r"translate\b.{0,40}\b(?:to|into)|how do you say|in (?:french|spanish|german|russian|"
    r"japanese|italian|latin)\?|meaning of life|"
    r"your (?:name|favou?rite|opinion|creator)|who (?:are|made|created) you|how are you|"
    r"good (?:morning|evening|night)|tell me about yourself|are you (?:human|sentient|"
    r"real|an? (?:ai|bot))|how old are you|"
    r"car engine|change a tire|gardening tips|lawn|plumbing|wi-?fi|iphone|android phone|laptop)\b",
    re.IGNORECASE,
)
_MEDICAL_ANYWAY = re.compile(
    (
        r"\b(?:patients?|clinical|smok\w+|tobacco|disease|trial|treatment|therapy|syndrome|"
        r"diagnos\w+|infection|mortality|cancer|surgery|randomi[sz]ed|hospital\w*|prevalence|"
        r"health|medical|symptoms?|injur\w+)\b"
    ),
    re.IGNORECASE,
)
_STRONG_TASK = re.compile(
    r"\b(?:write|compose|draft|sing|tell)\b(?: me| us)?(?: an?| the| some)?[\w\s,-]{0,30}\b(?:poem|"
    r"song|lyrics|story|joke|essay|speech|limerick|haiku|rap|novel|screenplay|blog|tweet|"
    r"email|letter|python|javascript|code|program|script|function)\b|"
    r"\brecipe\b|\bdef \w+\(|\bimport \w+ as\b",
    re.IGNORECASE,
)


def is_biomedical(question: str, entities: Sequence[Entity]) -> bool:
    """Whether the question is one that the biomedical literature may answer."""
    if _STRONG_TASK.search(question):
        return False
    if _OTHER_TASKS.search(question):
        return bool(_MEDICAL_ANYWAY.search(question)) and (bool(entities) or len(_FIELD.findall(question)) > 1)
    if entities or _FIELD.search(question):
        return True
    affixed = any(not _COMMON.fullmatch(match[0]) for match in _AFFIX.finditer(question))
    named = any(not _NOT_IDENTIFIER.fullmatch(match[0]) for match in _IDENTIFIER.finditer(question))
    return affixed or named
