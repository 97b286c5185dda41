"""Words for planted errors (`errors/`)."""

from __future__ import annotations

_DRUG_LIST = (
    "apixaban rivaroxaban dabigatran warfarin aspirin clopidogrel ticagrelor prasugrel metformin "
    "empagliflozin dapagliflozin semaglutide liraglutide sitagliptin insulin atorvastatin rosuvastatin "
    "simvastatin ezetimibe evolocumab amlodipine lisinopril ramipril losartan valsartan spironolactone "
    "eplerenone furosemide metoprolol bisoprolol carvedilol digoxin amiodarone dexamethasone prednisone "
    "prednisolone hydrocortisone methotrexate adalimumab infliximab rituximab trastuzumab bevacizumab "
    "pembrolizumab nivolumab tamoxifen letrozole cisplatin carboplatin paclitaxel docetaxel doxorubicin "
    "gemcitabine imatinib erlotinib sertraline fluoxetine citalopram escitalopram venlafaxine olanzapine "
    "risperidone quetiapine haloperidol lithium valproate lamotrigine carbamazepine levodopa donepezil "
    "memantine ibuprofen naproxen celecoxib paracetamol morphine fentanyl ketamine propofol midazolam "
    "amoxicillin azithromycin ciprofloxacin vancomycin meropenem oseltamivir remdesivir "
    "hydroxychloroquine ivermectin omeprazole ondansetron denosumab alendronate zoledronate "
    "norepinephrine dopamine vasopressin epinephrine salbutamol tiotropium budesonide montelukast "
    "omalizumab allopurinol colchicine finasteride oxytocin misoprostol magnesium heparin enoxaparin "
    "placebo"
)
DRUGS = tuple(_DRUG_LIST.split())
_DISEASE_LIST = (
    "atrial fibrillation|heart failure|myocardial infarction|stroke|hypertension|type 2 diabetes|"
    "type 1 diabetes|asthma|chronic obstructive pulmonary disease|pneumonia|sepsis|septic shock|"
    "breast cancer|lung cancer|prostate cancer|colorectal cancer|melanoma|leukemia|lymphoma|"
    "multiple sclerosis|parkinson's disease|alzheimer's disease|epilepsy|depression|schizophrenia|"
    "bipolar disorder|rheumatoid arthritis|osteoarthritis|osteoporosis|psoriasis|crohn's disease|"
    "ulcerative colitis|cirrhosis|hepatitis c|hepatitis b|chronic kidney disease|migraine|malaria|"
    "tuberculosis|obesity|anemia|endometriosis|preeclampsia|glaucoma|cystic fibrosis"
)
DISEASES = tuple(_DISEASE_LIST.split("|"))
FLIPS = {
    "reduced": "increased",
    "increased": "reduced",
    "lower": "higher",
    "higher": "lower",
    "decreased": "increased",
    "reduces": "increases",
    "increases": "reduces",
    "decrease": "increase",
    "increase": "decrease",
    "fewer": "more",
    "improved": "worsened",
    "improves": "worsens",
    "lowered": "raised",
    "reduction": "increase",
    "greater": "smaller",
    "better": "worse",
    "longer": "shorter",
    "shorter": "longer",
    "inhibits": "activates",
    "promotes": "inhibits",
    "enhanced": "suppressed",
    "suppressed": "enhanced",
    "inhibited": "stimulated",
    "prevented": "caused",
    "less": "more",
    "more frequent": "less frequent",
    "elevated": "reduced",
    "reducing": "increasing",
    "increasing": "reducing",
}
POPULATIONS = {
    "women": "men",
    "men": "women",
    "children": "adults",
    "adults": "children",
    "infants": "adults",
    "mice": "patients",
    "rats": "patients",
    "boys": "girls",
    "girls": "boys",
    "adolescents": "elderly people",
    "older adults": "children",
    "pregnant women": "elderly men",
    "neonates": "adults",
    "females": "males",
    "males": "females",
}
CERTAIN = (
    (r"\bmay be\b", "is"),
    (r"\bmight be\b", "is"),
    (r"\bcould be\b", "is"),
    (r"\bmay (?=\w)", "will always "),
    (r"\bmight (?=\w)", "will "),
    (r"\bcould (?=\w)", "will "),
    (r"\bsuggests? that\b", "proves that"),
    (r"\bindicates? that\b", "conclusively proves that"),
    (r"\b(?:is|was|were|are) associated with\b", "caused"),
    (r"\bappears? to\b", "is proven to"),
    (r"\bseems? to\b", "is proven to"),
    (r"\bshowed that\b", "definitively proved that"),
    (r"\bpossible\b", "certain"),
    (r"\bpotential\b", "proven"),
    (r"\bpotentially\b", "always"),
)
