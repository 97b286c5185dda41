"""How rare a word is in abstracts; written by `python -m tests.eval.fidelity.fit --words`, do not edit.

Shares of 665 abstracts of PubMedQA and Evidence Inference (both MIT) that hold a word; words are concepts.
"""

from __future__ import annotations

_EVERYWHERE = """
ag analyz assoc caus clinic control data determin differ effect group higher ill includ lower mean measur no
not occurr p patient perform receiv risk show signific similar time treatment trial two us year
"""
# In at least 25% of abstracts.

_OFTEN = """
accord activ addit adjust adult affect aim area base baselin begin benefic big blood care case chang
characterist child cohort collect common complet complic conduct confid consecut consid criter dai detect
develop diagnos earl evid examin factor first five follow followup four function gener health high hospit
identif impact import improv independ index influenc inform interv intervent least level long low major man
manag median medic method model month mortal n need neg non normal number old oper outcom overal period popul
posit possibl postop potent practic predict presenc present prevent primar procedur prospect provid purpos
questionnair random rang ratio record regress remain respect respons retrospect review sampl score select sever
short small specif stage standard statist status support surger surgic surve surviv symptom system term test
three total tumor type undergo underw valu variabl versus vs week weight well woman
"""
# In at least 8% of abstracts.

_SOMETIMES = """
abdomin abil abl absenc academ accept access account accur achiev across acut ad address adequ advanc advers
allow alon altern anti appear appl applic approach appropr arter ask assign attend author avail averag b
behavior biops birth blind bmi bodi bone breast c calcul cardiac cardiovascular carr categor cell center
chronic classif cm combin commun comparison compriz comput concentr concern condit confirm consist contain
continu contrast contribut coronar correct correspond cors cost count cross current curv d dail databas decemb
decis defin degre dela demograph depart depend depress deriv describ design despit diabet diagnost diamet
different difficult direct discharg distribut divid document dose doubl drug durat e educ eight elig emerg end
enrol episod equal espec establish estim even event exclud exerc exist expect exper experienc experiment explor
exposur express failur famil feasibl featur fift final focus form fort fractur free frequent full futur g
gender glucos good grade guidelin help hemorrhag highl histolog histor home hour human hundr hypothes ii iii
imag impair implement inclus infant infect inflammator inhibit inject injur institut intens interact intern
interview intraop invas involv iv januar kg kidne knowledg known l laborator lack laparoscop last later left
length lesion life limit literatur live liver local locat logist longterm loss lung m main maintain marker mass
match mechan medicin metastas mg mild min minut ml mm moder modif monitor morbid multipl multivar nation
necessar new nine node none nurs obes object offer open oral order organ pain paramet part particularl patholog
pattern percentag phase physic physician plan plasma plus point poor post pre predictor pregnanc preoper
pressur preval previou previous prior problem process profil prognos prognost program progress promot proport
protect protein protocol qualit qualityoflif question quick r randoml reason recent recruit refer region regist
registr rel relaps relev reliabl repeat replac repres resect respond right role routin s safe safet scale scan
screen sd second secondar section seem self sensit separ seri serum servic set seven sex singl site six size
smoke specimen stai state still stop strateg stratif stroke structur student subgroup subsequ success suffic
syndrom t take taken target techniqu third thirt tissu tool trend twent ultrasound unit univar univers unknown
upper urinar usual valid vari visit visual volum wherea whole work wors young
"""
# In at least 3% of abstracts.
_TIERS = ((_EVERYWHERE, 0.25), (_OFTEN, 0.5), (_SOMETIMES, 0.75))
_WEIGHTS = {word: weight for words, weight in _TIERS for word in words.split()}
"""About -log(share of abstracts) / log(number of abstracts) in the middle of each tier."""


def rarity(word: str) -> float:
    """Weight of a word in [0.25, 1]; 1 for a word that few abstracts hold."""
    return _WEIGHTS.get(word, 1.0)
