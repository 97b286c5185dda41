"""The policy on licences: what is allowed, what needs a reason, and what is found out when metadata changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deploy.supply import ROOT, licences
from deploy.supply.licences import Part, Policy, parts

POLICY = Policy.read(
    """
allowed = ["MIT", "Apache-2.0", "BSD-3-Clause"]
[names]
"License :: OSI Approved :: BSD License" = "BSD-3-Clause"
[[ecosystem]]
kind = "deb"
reason = "the base image"
[[package]]
name = "certifi"
licence = "MPL-2.0"
reason = "a list"
[[package]]
name = "linter"
licence = "GPL-3.0-only"
reason = "a program"
only_in = ["environment-*"]
"""
)


def part(*declared: str, name: str = "some", kind: str = "pypi", where: str = "image-api") -> Part:
    return Part(kind, name, "1.0", declared, where)


@pytest.mark.parametrize(
    "declared",
    [
        ("MIT",),
        ("GPL-3.0-only OR MIT",),
        ("MIT AND Apache-2.0",),
        ("MIT AND (GPL-2.0-only OR Apache-2.0)",),
        ("License :: OSI Approved :: BSD License",),
        ("Apache-2.0", "License :: OSI Approved :: BSD License"),
        ("Apache-2.0", "MIT"),
    ],
)
def test_permissive_licences_are_allowed_however_they_are_said(declared: tuple[str, ...]) -> None:
    assert POLICY.objection(part(*declared)) is None


@pytest.mark.parametrize(
    "declared",
    [
        ("GPL-3.0-only",),
        ("MIT AND GPL-3.0-only",),
        ("MIT", "GPL-3.0-only"),
        ("GPL-2.0-only WITH Classpath-exception-2.0",),
        ("Elastic-2.0",),
    ],
)
def test_copyleft_without_a_reason_is_refused(declared: tuple[str, ...]) -> None:
    assert "is not allowed" in str(POLICY.objection(part(*declared)))


@pytest.mark.parametrize(
    "declared",
    [(), ("License :: Other/Proprietary License",), ("Copyright (c) 2022 Somebody. All rights reserved.",)],
)
def test_a_licence_that_is_not_understood_is_refused(declared: tuple[str, ...]) -> None:
    assert "no licence that is understood" in str(POLICY.objection(part(*declared)))


def test_a_reason_holds_for_the_licence_and_the_place_that_it_names() -> None:
    assert POLICY.objection(part("MPL-2.0", name="Certifi")) is None
    assert POLICY.objection(part(name="certifi")) is None
    assert "declares AGPL-3.0-only" in str(POLICY.objection(part("AGPL-3.0-only", name="certifi")))
    assert POLICY.objection(part("GPL-3.0-only", name="linter", where="environment-tools")) is None
    assert "environment-* alone" in str(POLICY.objection(part("GPL-3.0-only", name="linter")))


def test_a_system_is_let_be_as_a_whole() -> None:
    assert POLICY.objection(part("GPL-3.0-only", kind="deb")) is None
    assert POLICY.objection(part(kind="deb")) is None


def test_an_exception_without_a_reason_is_an_error() -> None:
    with pytest.raises(KeyError):
        Policy.read('allowed = []\n[[package]]\nname = "x"\nlicence = "MIT"\n')


def sbom(folder: Path, name: str, *components: dict[str, object]) -> None:
    (folder / f"{name}.cdx.json").write_text(json.dumps({"components": components}))


def test_the_list_has_every_package_with_where_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = {"type": "library", "name": "openwork-bus", "version": "1", "licenses": [{"license": {"id": "MIT"}}]}
    six = {"type": "library", "name": "six", "version": "2", "purl": "pkg:pypi/six@2"}
    sbom(tmp_path, "image-api", ours, {**six, "licenses": [{"expression": "MIT OR Apache-2.0"}]})
    sbom(
        tmp_path, "image-gap", {**six, "licenses": [{"expression": "MIT OR Apache-2.0"}]}, {"type": "file", "name": "x"}
    )
    assert licences.main(["--sboms", str(tmp_path)]) == 0
    written = (tmp_path / "licences.md").read_text()
    assert "| own openwork-bus | 1 | MIT | image-api |  |" in written
    assert "| pypi six | 2 | MIT OR Apache-2.0 | image-api, image-gap |  |" in written
    sbom(tmp_path, "image-query", {**six, "licenses": [{"license": {"name": "Ask the author"}}]})
    assert licences.main(["--sboms", str(tmp_path)]) == 1
    assert "LICENCE six 2 (image-query)" in capsys.readouterr().out


def test_without_a_list_of_parts_nothing_is_called_allowed(tmp_path: Path) -> None:
    assert licences.main(["--sboms", str(tmp_path)]) == 1


def test_the_policy_of_this_repository_is_read_and_allows_no_copyleft_as_such() -> None:
    policy = Policy.read((ROOT / "deploy/supply/licences.toml").read_text())
    assert not [name for name in policy.allowed if "GPL" in name or name.startswith(("MPL", "EUPL", "SSPL", "Elastic"))]
    assert policy.objection(part("GPL-3.0-or-later", name="yamllint")) is not None
    assert list(parts([])) == []
