"""A container's own health check: status 0 when /readyz says 200. The standard library alone, so that it is quick."""

import http.client
import os
import sys


def main() -> int:
    """Ask the service's readiness; its answer is printed, for `docker inspect`."""
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("OPENWORK_HEALTH_PORT", "8080")), timeout=4)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        sys.stdout.write(answer.read(500).decode(errors="replace"))
    except OSError as error:
        sys.stdout.write(f"no answer: {error}")
        return 1
    return 0 if answer.status == 200 else 1


if __name__ == "__main__":
    sys.exit(main())
