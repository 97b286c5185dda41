"""What a handler asks for by name: `settings: Annotated[Settings, Provided()]`.

FastStream's `Context`, resolved on the event loop. A plain one is a synchronous function to fast-depends, which runs
each in a worker thread: some 24 threads' work for an answer, 7 % of its CPU, for a look into a dictionary.
"""

from __future__ import annotations

from typing import Any

from faststream import Context

_Context: Any = type(Context())


class _Provided(_Context):  # type: ignore[misc]
    """A `Context` whose look-up is awaited in place."""

    async def use(self, /, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().use(**kwargs)
        return found


def Provided() -> Any:  # noqa: N802 - reads like FastStream's own markers
    """The object that `Service.provide` gave under the parameter's name; `run` is the run of the message."""
    return _Provided()
