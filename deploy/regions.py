"""Files that people write and that hold lines made from the registry, each between two marks:

# made: NAME          or <!-- made: NAME --> where the file is Markdown
# end: NAME
"""

from __future__ import annotations

import re
from collections.abc import Mapping


def filled(text: str, made: Mapping[str, str], *, where: str) -> str:
    """The text with what stands between the marks written anew, as far in as its opening mark.

    A name may stand in several places of a file.

    Raises:
        ValueError: the file has no such marks, or marks that nothing is made for.
    """
    named = set(re.findall(r"^[ \t]*(?:#|<!--) made: ([\w-]+)", text, re.MULTILINE))
    if named != set(made):
        raise ValueError(f"{where}: marks for {sorted(named)}, lines for {sorted(made)}")
    for name, lines in made.items():
        between = re.compile(
            rf"^(?P<indent>[ \t]*)(?P<open>(?:#|<!--) made: {name}\b[^\n]*\n)"
            rf".*?(?P<close>^[ \t]*(?:#|<!--) end: {name}\b)",
            re.MULTILINE | re.DOTALL,
        )
        text = between.sub(lambda found, lines=lines: _placed(found, lines), text)  # type: ignore[misc]
    return text


def _placed(found: re.Match[str], lines: str) -> str:
    indent = found["indent"]
    inside = "".join(f"{indent}{line}\n" if line else "\n" for line in lines.splitlines())
    return f"{indent}{found['open']}{inside}{found['close']}"
