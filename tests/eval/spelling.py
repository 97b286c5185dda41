"""What the reader of misspelt names changes in texts of others: questions, claims and titles of the shared sets.

    python -m tests.eval.spelling        # every pair, with the first text that holds it

Whoever reads the list sees how many of them were meant; what is misspelt and not changed is not counted.
"""

from __future__ import annotations

from openwork_language.spelling import respelt

from tests.eval.words import biomedical


def main() -> None:
    """Print the pairs."""
    pairs: dict[tuple[str, str], str] = {}
    n = 0
    for texts in biomedical().values():
        for text in texts:
            n += 1
            for one in respelt(text)[1]:
                pairs.setdefault((one.typed, one.read), text)
    print(f"{n} texts, {len(pairs)} words changed")
    for (typed, read), text in sorted(pairs.items()):
        print(f"  {typed} -> {read}: {text[:100]}")


if __name__ == "__main__":
    main()
