"""The server: the tools under their names, with what assistants are told of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.types import ToolAnnotations
from openwork_contracts.errors import OpenWorkError, RunNotFound, UsageError

from openwork_api.mcp import words
from openwork_api.mcp.tools import Asks, Tools
from openwork_api.people import Person
from openwork_api.problems import ProblemError

RESOURCE = "openwork://runs/{run_id}"


def create_server(asks: Asks, whose: Callable[[Context[Any, Any]], Person]) -> MCPServer[Any]:
    """A server, not yet connected to anybody.

    Args:
        whose: who makes a call.
    """
    server: MCPServer[Any] = MCPServer(
        "openwork",
        title="Open Work",
        instructions=words.INSTRUCTIONS,
        version=version("openwork-api"),
        log_level="WARNING",
        subscriptions=False,
    )
    tools = Tools(asks, whose)
    for tool, title, description, reads_only in (
        (tools.ask, "Ask a clinical question", words.ASK, False),
        (tools.show, "Get a run", words.SHOW, True),
        (tools.passage, "Read what is cited", words.PASSAGE, True),
        (tools.verify, "Check a text against its sources", words.VERIFY, True),
        (tools.search_log, "What was searched", words.SEARCH_LOG, True),
        (tools.runs, "Find a run again", words.RUNS, True),
    ):
        hints = ToolAnnotations(
            read_only_hint=reads_only, destructive_hint=False, idempotent_hint=reads_only, open_world_hint=True
        )
        server.add_tool(tool, title=title, description=description, annotations=hints)
    _add_resource(server, tools)
    return server


def _add_resource(server: MCPServer[Any], tools: Tools) -> None:
    @server.resource(RESOURCE, title="A run", description=words.RESOURCE, mime_type="text/markdown")
    async def run(run_id: str, ctx: Context[Any, Any]) -> str:
        try:
            return await tools.document(run_id, ctx)
        except (RunNotFound, UsageError) as error:
            raise ResourceNotFoundError(str(error)) from error
        except (OpenWorkError, ProblemError) as error:
            raise ResourceError(str(error)) from error
