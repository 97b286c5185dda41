"""What we build on and what we hand out: base images, what images are made of, licences, advisories, leaked secrets.

Imports nothing of the services, so that it works beside any version of them.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
