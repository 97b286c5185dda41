"""`python -m openwork_appraiser`: this service as one process."""

from openwork_bus.process import run_process

from openwork_appraiser.app import create_service
from openwork_appraiser.settings import Settings

if __name__ == "__main__":
    settings = Settings()
    run_process(lambda: create_service(settings), settings)
