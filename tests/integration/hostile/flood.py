"""Sends requests as fast as the server takes them, and listens to nothing: python -m tests.integration.hostile.flood.

Of its own process, so that who floods takes no time of the services' loop but what the requests take.
"""

from __future__ import annotations

import json
import socket
import sys


def main() -> None:
    """Arguments: port, account, password, subject, requests, connections; the body comes on standard input."""
    port, account, password, subject, n_requests, n_connections = sys.argv[1:]
    body = sys.stdin.buffer.read()
    login = json.dumps({"user": account, "pass": password, "verbose": False}).encode()
    connections = []
    for _ in range(int(n_connections)):
        connection = socket.create_connection(("127.0.0.1", int(port)))
        connection.sendall(b"CONNECT " + login + b"\r\n")
        connections.append(connection)
    frame = b"PUB %s _INBOX.nobody %d\r\n%s\r\n" % (subject.encode(), len(body), body)
    sent = 0
    for n in range(int(n_requests)):
        connections[n % len(connections)].sendall(frame)
        sent += 1
    for connection in connections:
        connection.sendall(b"PING\r\n")
        while b"PONG" not in (heard := connection.recv(65_536)) and heard:
            pass
    sys.stdout.write(str(sent))


if __name__ == "__main__":
    main()
