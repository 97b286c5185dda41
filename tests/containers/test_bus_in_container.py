"""The tests of the bus and of services once more, on NATS in a container: only the fixture `nats_server` differs."""

from __future__ import annotations

import pytest

from tests.integration.test_bus import *  # noqa: F403
from tests.integration.test_service import *  # noqa: F403

pytestmark = pytest.mark.containers
