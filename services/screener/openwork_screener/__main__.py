"""`python -m openwork_screener`: this service as one process."""

from openwork_bus.process import run_process

from openwork_screener.app import create_service
from openwork_screener.settings import Settings

if __name__ == "__main__":
    settings = Settings()
    run_process(lambda: create_service(settings), settings)
