"""The MCP server: what an assistant may ask, over HTTP at `/mcp` and over stdio by `openwork mcp`.

`tools.py` is what it does, over any `Asks`; `shape.py` makes of a document what an assistant is sent, within `room.py`;
`endpoint.py` serves it over HTTP. Only `endpoint.py` is imported before somebody comes: the SDK takes half a second.
"""
