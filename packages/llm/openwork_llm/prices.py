"""What tokens cost: list prices with their date and source, and what settings say instead."""

from __future__ import annotations

from dataclasses import dataclass

from openwork_llm.messages import TokenCount

PRICES_AS_OF = "2026-11-21"
PRICES_SOURCE = "price table of arize-phoenix 20.26.1, USD per million tokens, standard tier, text"
_PER = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens. Thinking is billed as output; a discount for cached input is left out of account."""

    input_usd: float
    output_usd: float

    def cost_usd(self, tokens: TokenCount) -> float:
        """What these tokens cost."""
        return (tokens.input * self.input_usd + (tokens.output + tokens.thinking) * self.output_usd) / _PER

    def output_tokens(self, usd: float) -> float:
        """How many output tokens an amount pays for; without end where they cost nothing."""
        return usd / self.output_usd * _PER if self.output_usd else float("inf")


LIST_PRICES: dict[str, Price] = {
    "gemini-3.8-flash": Price(0.75, 3.75),
    "gemini-3.7-flash": Price(0.75, 3.75),
    "gemini-3.6-flash": Price(0.75, 3.75),
    "gemini-3.5-flash": Price(1.5, 9.0),
    "gemini-3.1-pro-preview": Price(2.0, 12.0),
    "gemini-3.1-flash-lite": Price(0.25, 1.5),
}
FREE = Price(0.0, 0.0)
DEAREST = max(LIST_PRICES.values(), key=lambda price: price.output_usd)
"""Assumed for a model without a known price: a budget that is wrong on this side spends too little."""


def parse_prices(text: str) -> dict[str, Price]:
    """Prices as a setting writes them: `model=input/output, other=0/0`, USD per million tokens; `*` is every other.

    Raises:
        ValueError: an entry is not of that form, or a price is below zero.
    """
    prices: dict[str, Price] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        model, _, amounts = entry.rpartition("=")
        sides = amounts.split("/")
        try:
            price = Price(float(sides[0]), float(sides[1]))
        except (ValueError, IndexError):
            raise ValueError(f"{entry!r} is not a price; write model=input/output, e.g. my-model=0.5/1.5") from None
        if not model or len(sides) != 2 or not (0 <= price.input_usd < 1e4 and 0 <= price.output_usd < 1e4):
            raise ValueError(f"{entry!r} is not a price; write model=input/output, e.g. my-model=0.5/1.5")
        prices[model.strip()] = price
    return prices


def price_of(model: str, own: dict[str, Price], *, billed: bool) -> Price:
    """The price of a model: the installation's own, the list price, else the dearest known.

    Args:
        billed: False for a server that takes no key: it sends no bill either.
    """
    if model in own:
        return own[model]
    if model in LIST_PRICES:
        return LIST_PRICES[model]
    if "*" in own:
        return own["*"]
    return DEAREST if billed else FREE
