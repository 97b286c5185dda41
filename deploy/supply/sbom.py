"""Lists of parts in CycloneDX JSON: of the environments installed here, by cyclonedx-py, and of images, by trivy.

python -m deploy.supply.sbom --to out/sbom [--images IMAGE ...]

writes environment-NAME.cdx.json and image-NAME.cdx.json. It asks nothing of the network.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from deploy.supply import ROOT

ENVIRONMENTS = {
    "development": ".venv",  # all services, the command, what the tests need
    "triton": ".triton-venv",
    "phoenix": ".phoenix-venv",
    "tools": ".tools-venv",
}
"""Where each is installed, by whom it is for. The first is always there."""
_TOOLS = ROOT / ".tools-venv/bin"


def of_environment(folder: Path, to: Path) -> None:
    """What is installed in a virtual environment, with its licences and what needs what."""
    program = str(_TOOLS / "cyclonedx-py")
    command = [program, "environment", "--output-reproducible", "--of", "JSON", "-o", str(to), str(folder)]
    subprocess.run(command, check=True, capture_output=True, text=True)


def of_image(image: str, to: Path) -> None:
    """Packages of the system and of Python in an image that the engine has."""
    command = [str(_TOOLS / "trivy"), "image", "--quiet", "--skip-version-check", "--format", "cyclonedx"]
    subprocess.run([*command, "--output", str(to), image], check=True, capture_output=True, text=True)


def name_of(image: str) -> str:
    """For a file: registry.example/openwork/gap:0.1.0 -> gap."""
    return image.rpartition("/")[2].partition(":")[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "out/sbom")
    parser.add_argument("--images", nargs="*", default=[], help="images that the engine has")
    chosen = parser.parse_args(arguments)
    chosen.to.mkdir(parents=True, exist_ok=True)
    for former in chosen.to.glob("*.cdx.json"):
        former.unlink()
    try:
        for name, folder in ENVIRONMENTS.items():
            if (ROOT / folder).is_dir():
                of_environment(ROOT / folder, chosen.to / f"environment-{name}.cdx.json")
        for image in chosen.images:
            of_image(image, chosen.to / f"image-{name_of(image)}.cdx.json")
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{' '.join(error.cmd)}: {error.stderr.strip()[-500:]}\n")
        return 1
    made = sorted(path.name for path in chosen.to.glob("*.cdx.json"))
    sys.stdout.write(f"{len(made)} lists of parts in {chosen.to}: {', '.join(made)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
