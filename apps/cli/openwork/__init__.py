"""Ask clinical questions of a running Open Work.

```python
import openwork

answer = openwork.ask("Do omega-3 fatty acids reduce major cardiovascular events?")
print(answer.status, answer.text)
```

`ask`, `watch`, `verify` and `runs` wait; `async with openwork.connect() as client` gives the same without waiting. The
services run elsewhere, e.g. by `openwork up`; they are asked over NATS, or over HTTP with `server="https://host"` and a
key in OPENWORK_API_KEY. It presents evidence; it does not diagnose, prescribe or advise.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openwork import models, runs
    from openwork.blocking import ask, verify, watch
    from openwork.client import Answer, Client, connect
    from openwork.errors import BusUnavailable, Busy, ContractViolation, OpenWorkError, RunNotFound, UsageError

_HOMES = {
    **dict.fromkeys(("ask", "verify", "watch"), "blocking"),
    **dict.fromkeys(("Answer", "Client", "connect"), "client"),
    **dict.fromkeys(("Busy", "BusUnavailable", "ContractViolation", "OpenWorkError"), "errors"),
    **dict.fromkeys(("RunNotFound", "UsageError"), "errors"),
}
"""Name -> the module it is in. Loaded when it is asked for: a command that asks nobody loads no client."""

__all__ = [
    "Answer",
    "BusUnavailable",
    "Busy",
    "Client",
    "ContractViolation",
    "OpenWorkError",
    "RunNotFound",
    "UsageError",
    "ask",
    "connect",
    "models",
    "runs",
    "verify",
    "watch",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"openwork.{_HOMES[name]}"), name)
    if name in ("models", "runs"):
        return import_module(f"openwork.{name}")
    raise AttributeError(f"module 'openwork' has no attribute {name!r}")
