"""Ask clinical questions of a running Open Work.

```python
import openwork

answer = openwork.ask("Do omega-3 fatty acids reduce major cardiovascular events?")
print(answer.status, answer.text)
```

`ask`, `watch`, `verify` and `runs` wait; `async with openwork.connect() as client` gives the same without waiting. The
services run elsewhere, e.g. by `openwork up`. It presents evidence; it does not diagnose, prescribe or advise.
"""

from openwork import models, runs
from openwork.blocking import ask, verify, watch
from openwork.client import Answer, Client, connect
from openwork.errors import BusUnavailable, ContractViolation, OpenWorkError, RunNotFound, UsageError

__all__ = [
    "Answer",
    "BusUnavailable",
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
