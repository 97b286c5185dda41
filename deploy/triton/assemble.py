"""Put together the model repository that Triton starts: configs, models' code, and the weights that the configs name.

    assemble.py REPOSITORY WEIGHTS TARGET [--config-name NAME] [--model MODEL]

REPOSITORY is `triton_models`, WEIGHTS the folder with a folder per model (`bge-reranker-v2-m3/`, ...), TARGET is
written anew. Backends read `<model>/1/<file>` and nothing else, so there each file goes that the config in use names
(`default_model_filename`, and the parameters `model_file` and `tokenizer_file`): as a hard link, or a symbolic one to
another file system. NAME is what tritonserver gets as `--model-config-name`; MODEL is what it loads (reranker), with
the models behind it. Status 1, and a sentence that says what to do, when something is missing or is not what it says.

The standard library alone: this runs in NVIDIA's image.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "export.json"
VERSION = "1"
"""The one version of each model that the repository has."""
_FILE_PARAMETERS = ("model_file", "tokenizer_file")
_EXPORT = (
    "triton_models/README.md says how; the cross-encoder with "
    "`python -m openwork_reranker.export.cross_encoder --to models/bge-reranker-v2-m3`"
)
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|#[^\n]*')
_FILE = re.compile(r'\bdefault_model_filename\s*:\s*"([^"]*)"')
_PARAMETER = re.compile(
    r'\bparameters\s*:?\s*\{\s*key\s*:\s*"([^"]*)"\s*value\s*:?\s*\{\s*string_value\s*:\s*"([^"]*)"\s*\}\s*\}'
)
_STEP = re.compile(r'\bmodel_name\s*:\s*"([^"]*)"')


class NotAssembled(Exception):  # noqa: N818 - named by what happened, as all our errors
    """Something is missing, or is not what it says; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What a config names that has to be there before Triton starts."""

    files: tuple[str, ...]
    """Of the version folder."""
    parameters: dict[str, str]
    steps: tuple[str, ...]
    """Models that an ensemble asks."""


def read_config(text: str) -> ModelConfig:
    """What a config.pbtxt names. Reads what this repository's configs are written in, not every protobuf text."""
    bare = _COMMENT.sub(lambda match: match[1] or "", text)
    parameters = dict(_PARAMETER.findall(bare))
    files = [*_FILE.findall(bare), *(parameters[name] for name in _FILE_PARAMETERS if name in parameters)]
    return ModelConfig(tuple(files), parameters, tuple(_STEP.findall(bare)))


def config_in_use(model: Path, config_name: str | None) -> Path:
    """The file that tritonserver reads: `configs/<name>.pbtxt` where there is one, else `config.pbtxt`."""
    chosen = model / "configs" / f"{config_name}.pbtxt"
    return chosen if config_name and chosen.is_file() else model / "config.pbtxt"


def configs_of(repository: Path, models: Sequence[str], config_name: str | None) -> dict[str, ModelConfig]:
    """Configs of the models, and of those behind them, by the model's name.

    Raises:
        NotAssembled: a model is not in the repository, or no model has this config.
    """
    found: dict[str, ModelConfig] = {}
    waiting = list(models)
    while waiting:
        name = waiting.pop()
        path = config_in_use(repository / name, config_name)
        if not path.is_file():
            raise NotAssembled(f"there is no model {name!r} in {repository}")
        found[name] = read_config(path.read_text())
        waiting += [step for step in found[name].steps if step not in found]
    if config_name and not any((repository / name / "configs" / f"{config_name}.pbtxt").is_file() for name in found):
        raise NotAssembled(f"no model behind {', '.join(models)} has configs/{config_name}.pbtxt: is it spelt so?")
    return found


def checked_weights(folder: Path, config: ModelConfig) -> Iterator[Path]:
    """The files of `folder` that a config names, `export.json` among them, each with the digest that it is to have.

    Raises:
        NotAssembled: one is missing, is another file, or the folder holds other weights than the config promises.
    """
    if not (folder / MANIFEST).is_file():
        raise NotAssembled(
            f"{folder} has no {MANIFEST}: fetch the weights (list every file of the export, {MANIFEST} too, in "
            f"weights.txt for fetch_weights.py), or export them ({_EXPORT})"
        )
    manifest = json.loads((folder / MANIFEST).read_text())
    promised = config.parameters.get("weights")
    if promised is not None and manifest["model"] != promised:
        raise NotAssembled(
            f"{folder} holds {manifest['model']!r}, the config promises {promised!r}: fetch those, or change the config"
        )
    yield folder / MANIFEST
    digests: dict[str, str] = manifest["sha256"]
    for name in config.files:
        if name not in digests:
            raise NotAssembled(
                f"{folder}/{MANIFEST} does not list {name}, which the config names: export again ({_EXPORT})"
            )
        for part in (name, f"{name}.data"):
            if part in digests:
                yield _checked(folder / part, digests[part])


def _checked(path: Path, expected: str) -> Path:
    if not path.is_file():
        raise NotAssembled(
            f"{path} is missing: list it in weights.txt for fetch_weights.py, or export again ({_EXPORT})"
        )
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise NotAssembled(f"{path} has the SHA-256 {found}, {MANIFEST} says {expected}: fetch or export it again")
    return path


def place(files: Sequence[Path], folder: Path) -> None:
    """Link files into a version folder: all hard, or all symbolic where a hard link cannot be made.

    onnxruntime 1.31 and 1.32 open a graph with its weights beside it (`.data`) through either, not through one of each.
    """
    sources = [file.resolve() for file in files]
    targets = [folder / file.name for file in files]
    try:
        for source, target in zip(sources, targets, strict=True):
            os.link(source, target)
    except OSError:  # another file system, or one that has no hard links
        for source, target in zip(sources, targets, strict=True):
            target.unlink(missing_ok=True)
            target.symlink_to(source)


def assemble(
    repository: Path,
    weights: Path,
    target: Path,
    *,
    config_name: str | None = None,
    models: Sequence[str] = ("reranker",),
) -> dict[str, ModelConfig]:
    """Write `target` anew; the configs of the models that can be loaded from it.

    Raises:
        NotAssembled: it was not written; what was there before still is.
    """
    configs = configs_of(repository, models, config_name)
    files = {
        name: tuple(checked_weights(weights / config.parameters["weights_folder"], config))
        for name, config in configs.items()
        if config.files
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch, old = (target.with_name(f"{target.name}.{word}") for word in ("new", "old"))
    for left in (scratch, old):
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(repository, scratch, ignore=shutil.ignore_patterns("__pycache__"))
    for name, wanted in files.items():
        place(wanted, scratch / name / VERSION)
    if target.exists():
        target.rename(old)
    scratch.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    return configs


def main(arguments: Sequence[str] | None = None) -> int:
    """Assemble, or say what to do first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--config-name", help="as tritonserver's --model-config-name; config.pbtxt when left out")
    parser.add_argument(
        "--model", action="append", help="what tritonserver loads, once for each; reranker when left out"
    )
    chosen = parser.parse_args(arguments)
    models = tuple(chosen.model or ("reranker",))
    try:
        configs = assemble(
            chosen.repository, chosen.weights, chosen.target, config_name=chosen.config_name or None, models=models
        )
    except (NotAssembled, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for name, config in configs.items():
        sys.stdout.write(f"{chosen.target}/{name}: {', '.join(config.files) or 'no weights'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
