"""Porter's stripper against the examples that the paper itself gives."""

from __future__ import annotations

import pytest
from openwork_language.tokens import porter_stem

PAPER = """
    caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster bled bled
    motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling fall
    hissing hiss fizzed fizz failing fail filing file happy happi sky sky relational relat conditional condit
    rational ration digitizer digit operator oper feudalism feudal decisiveness decis hopefulness hope
    callousness callous formative form formalize formal electrical electr hopeful hope goodness good revival reviv
    allowance allow inference infer airliner airlin adjustable adjust defensible defens irritant irrit
    replacement replac adjustment adjust dependent depend adoption adopt communism commun activate activ
    homologous homolog effective effect bowdlerize bowdler probate probat rate rate cease ceas roll roll
    generalizations gener oscillators oscil
"""
"""Word and stem in turn; after all steps, where the paper's tables stop after one."""
WORDS = PAPER.split()


@pytest.mark.parametrize(("word", "stem"), list(zip(WORDS[::2], WORDS[1::2], strict=True)))
def test_word_gets_the_stem_of_the_paper(word: str, stem: str) -> None:
    assert porter_stem(word) == stem
