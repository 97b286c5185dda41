"""What other values make of the Helm chart. Needs Helm: the program, or the wheel of requirements/tools.txt.

`make check-deploy` has it; elsewhere these tests say so and skip. What holds for the environments is in test_chart.py.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from openwork_retrievers.domain.registry import SOURCES

from deploy.render import ENVIRONMENTS

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / ".tools-venv/bin/python"
TEMPLATE = """
import json, sys
from pathlib import Path
from deploy.render import CHART, RenderError, rendered, template, yaml_in
asked = json.load(sys.stdin)
try:
    made = template(CHART, asked["values"], namespace=asked["namespace"])
except RenderError as error:
    print(json.dumps({"refused": str(error)}))
else:
    print(json.dumps({"objects": [o for text in made.values() for o in yaml_in(text)]}))
"""
Object = dict[str, Any]
REGISTRY = {"image": {"registry": "registry.example.org/openwork"}}
WEIGHTS = f"{'a' * 64}  bge-reranker-v2-m3/model.cuda.onnx  https://models.example.org/model.cuda.onnx\n"


def has_helm() -> bool:
    if shutil.which("helm"):
        return True
    asked = [str(PYTHON), "-c", "import helm_python"]
    return PYTHON.exists() and not subprocess.run(asked, capture_output=True, check=False).returncode


pytestmark = [
    pytest.mark.skipif(not has_helm(), reason="no Helm here; scripts/tools.sh installs it"),
    pytest.mark.slow,
]


def made(values: Mapping[str, Any], namespace: str = "openwork") -> Mapping[str, Any]:
    python = str(PYTHON) if PYTHON.exists() else "python3"
    asked = json.dumps({"values": {**REGISTRY, **values}, "namespace": namespace})
    command = [python, "-c", TEMPLATE]
    done = subprocess.run(command, cwd=ROOT, input=asked, capture_output=True, text=True, check=True)
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def objects(values: Mapping[str, Any], namespace: str = "openwork") -> dict[tuple[str, str], Object]:
    answer = made(values, namespace)
    assert "refused" not in answer, answer
    return {(o["kind"], o["metadata"]["name"]): o for o in answer["objects"]}


def environment_of(found: Mapping[tuple[str, str], Object], workload: str) -> dict[str, Any]:
    (container,) = found["Deployment", workload]["spec"]["template"]["spec"]["containers"]
    return {v["name"]: v.get("value", v.get("valueFrom")) for v in container["env"]}


def pod_labels(found: Mapping[tuple[str, str], Object], workload: str) -> dict[str, str]:
    labels: dict[str, str] = found["Deployment", workload]["spec"]["template"]["metadata"]["labels"]
    return labels


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"image": {"registry": ""}}, "image.registry must say where your images are"),
        ({"image": {"registri": "x"}}, "registri"),
        ({"image": {"registry": "x/y", "digests": {"query": "sha256:12"}}}, "digests"),
        ({"sources": ["library", "pubmedd"]}, "pubmedd is no source; there are library, pubmed"),
        ({"workloads": {"queri": {"minimum": 2}}}, "there is no such workload"),
        ({"workloads": {"query": {"replicas": 2}}}, "replicas"),
        ({"settings": {"LOG_LEVEL": "INFO"}}, "LOG_LEVEL"),
        ({"model": {"provider": "openai"}}, "model.baseUrl"),
        ({"model": {"provider": "gpt"}}, "provider"),
        ({"api": {"ingress": {"enabled": True}}}, "api.host must say"),
        ({"triton": {"enabled": True}}, "triton.weights lists no file"),
        ({"triton": {"enabled": True, "weights": "# SHA-256, path, URL\n"}}, "triton.weights lists no file"),
        ({"nats": {"replicas": 2}}, "replicas"),
        ({"model": {"inCluster": {"pod": {"app": "vllm"}}}}, "port"),
        ({"searxng": {"inCluster": {"pod": {"app": "searxng"}, "port": 8080}}}, "namespace"),
        ({"workloads": {"query": {"minimum": 0}}}, "minimum"),
        ({"workloads": {"query": {"environment": {"OPENWORK_NATS_USER": "gateway"}}}}, "comes from a Secret"),
        ({"contactEmail": "nobody"}, "contactEmail"),
    ],
)
def test_a_wrong_value_is_refused_in_words_that_name_it(values: Mapping[str, Any], said: str) -> None:
    assert said in made(values)["refused"]


def test_what_is_rendered_is_current() -> None:
    command = [str(PYTHON) if PYTHON.exists() else "python3", "-m", "deploy.render", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    files = {path.stem for path in (ROOT / "k8s/rendered").glob("*.yaml")}
    assert files == {*ENVIRONMENTS, "nats"}


def test_an_image_takes_a_registry_a_tag_and_a_digest() -> None:
    digest = f"sha256:{'1' * 64}"
    image = {"registry": "registry.example.org:5000/team/", "tag": "1.2.3", "digests": {"query": digest}}
    found = objects({"image": {**image, "pullSecrets": ["key"]}})
    images = {
        name: o["spec"]["template"]["spec"]["containers"][0]["image"]
        for (kind, name), o in found.items()
        if kind == "Deployment"
    }
    assert images["query"] == f"registry.example.org:5000/team/query@{digest}"
    assert images["retriever-pubmed"] == "registry.example.org:5000/team/retrievers:1.2.3"
    assert found["Deployment", "query"]["spec"]["template"]["spec"]["imagePullSecrets"] == [{"name": "key"}]


def test_another_namespace_is_named_wherever_one_is() -> None:
    found = objects({"triton": {"enabled": True, "weights": WEIGHTS}, "metrics": {"podMonitor": True}}, "elsewhere")
    assert {o["metadata"]["namespace"] for o in found.values()} == {"elsewhere"}
    text = json.dumps([*found.values()])
    assert not re.search(r"\.openwork\.svc|openwork\.svc", text)
    assert "nats-headless.elsewhere.svc.cluster.local:8222" in text
    assert "triton.elsewhere.svc.cluster.local:8002" in text


def test_a_model_in_the_cluster_is_reached_and_the_internet_is_not() -> None:
    place = {"namespace": {"kubernetes.io/metadata.name": "models"}, "pod": {"app": "vllm"}, "port": 8000}
    model = {"provider": "openai", "baseUrl": "http://vllm.models:8000/v1", "fast": "a-model", "inCluster": place}
    found = objects({"model": model})
    settings = found["ConfigMap", "openwork-settings"]["data"]
    assert settings["OPENWORK_MODEL_BASE_URL"] == "http://vllm.models:8000/v1"
    assert settings["OPENWORK_MODEL_FAST"] == "a-model"
    variables = environment_of(found, "synthesiser")
    assert variables["OPENWORK_MODEL_PROVIDER"] == "openai"
    assert variables["OPENWORK_MODEL_API_KEY"]["secretKeyRef"]["optional"] is True
    assert "OPENWORK_MODEL_PROVIDER" not in environment_of(found, "normaliser")
    way = found["NetworkPolicy", "services-to-model"]["spec"]
    assert way["podSelector"]["matchLabels"].items() <= pod_labels(found, "synthesiser").items()
    assert way["egress"][0]["ports"] == [{"protocol": "TCP", "port": 8000}]
    assert "openwork.dev/reaches-internet" not in pod_labels(found, "synthesiser")
    assert "openwork.dev/asks-model" not in pod_labels(found, "normaliser")


def test_a_model_outside_opens_the_internet_to_those_that_ask_it() -> None:
    none, gemini = objects({}), objects({"model": {"provider": "gemini"}})
    for workload in ("gap", "synthesiser", "verifier"):
        assert "openwork.dev/reaches-internet" not in pod_labels(none, workload)
        assert pod_labels(gemini, workload)["openwork.dev/reaches-internet"] == "true"
    assert ("NetworkPolicy", "services-to-model") not in gemini
    assert "OPENWORK_MODEL_PROVIDER" not in environment_of(none, "synthesiser")


def test_any_source_is_a_workload_with_its_secret_by_reference() -> None:
    place = {"namespace": {"kubernetes.io/metadata.name": "search"}, "pod": {"app": "searxng"}, "port": 8080}
    searxng = {"url": "http://searxng.search:8080", "inCluster": place}
    found = objects({"sources": ["library", *(s.route for s in SOURCES)], "searxng": searxng})
    assert {f"retriever-{source.route}" for source in SOURCES} <= {name for kind, name in found if kind == "Deployment"}
    key = environment_of(found, "retriever-tavily")["OPENWORK_TAVILY_API_KEY"]["secretKeyRef"]
    assert key == {"name": "openwork-source-keys", "key": "tavily_api_key", "optional": True}
    settings = found["ConfigMap", "openwork-settings"]["data"]
    assert settings["OPENWORK_SEARXNG_URL"] == "http://searxng.search:8080"
    assert "tavily" in settings["OPENWORK_SOURCES"].split(",")
    way = found["NetworkPolicy", "scholar-to-searxng"]["spec"]
    assert way["podSelector"]["matchLabels"].items() <= pod_labels(found, "retriever-google-scholar").items()
    (trigger,) = [
        t
        for t in found["ScaledObject", "retriever-tavily"]["spec"]["triggers"]
        if t["metadata"]["consumer"] == "retriever-tavily"
    ]
    assert trigger["metadata"]["account"] == "OPENWORK"


def test_one_workload_is_changed_without_the_others() -> None:
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}}
    own = {"minimum": 3, "maximum": 4, "resources": resources, "environment": {"OPENWORK_LOG_LEVEL": "DEBUG"}}
    before, after = objects({}), objects({"workloads": {"gap": own}})
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {("Deployment", "gap"), ("ScaledObject", "gap")}
    (container,) = after["Deployment", "gap"]["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == resources
    assert environment_of(after, "gap")["OPENWORK_LOG_LEVEL"] == "DEBUG"
    spec = after["ScaledObject", "gap"]["spec"]
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (3, 4)


def test_a_changed_setting_is_another_job_and_other_pods() -> None:
    """The upgrade: what is installed is replaced, nothing is changed that cannot be."""
    before, after = objects({}), objects({"nats": {"storeGigabytes": 17}})
    jobs = [{name for kind, name in found if kind == "Job"} for found in (before, after)]
    assert not jobs[0] & jobs[1]
    for key in before.keys() & after.keys():
        if key[0] == "Deployment":
            old, new = (o[key]["spec"] for o in (before, after))
            assert old["selector"] == new["selector"]
            assert old["template"]["metadata"]["annotations"] != new["template"]["metadata"]["annotations"]


def test_the_cross_encoder_is_served_from_a_repository_that_the_pod_makes() -> None:
    """What Triton looks for is what the containers before it put there; the services know where it is."""
    found = objects({"triton": {"enabled": True, "weights": WEIGHTS, "configName": "tensorrt"}})
    pod = found["StatefulSet", "triton"]["spec"]["template"]["spec"]
    fetch, assemble = pod["initContainers"]
    (server,) = pod["containers"]
    _, _, weights, repository, *options = assemble["command"][1:]
    assert fetch["command"][-1] == weights
    assert f"--model-repository={repository}" in server["args"]
    assert options == ["--config-name", "tensorrt"]
    assert "--model-config-name=tensorrt" in server["args"]
    assert {"name": "OPENWORK_MODELS", "value": weights} in server["env"]
    mounts = {
        c["name"]: {m["mountPath"]: m.get("readOnly", False) for m in c["volumeMounts"]} for c in (fetch, assemble)
    }
    assert mounts["weights"]["/models"] is mounts["repository"]["/models"] is False
    assert found["ConfigMap", "triton-weights"]["data"]["weights.txt"].strip() == WEIGHTS.strip()
    assert found["ConfigMap", "openwork-settings"]["data"]["OPENWORK_TRITON_URL"] == "triton:8001"
    assert pod_labels(found, "reranker")["openwork.dev/reaches-triton"] == "true"
    without = objects({})
    assert not [name for kind, name in without if "triton" in name]


def test_a_values_file_sets_only_what_there_is() -> None:
    """The schema closes every table; this looks at the three files as they stand."""
    for environment in ENVIRONMENTS:
        values = yaml.safe_load((ROOT / f"k8s/openwork/values-{environment}.yaml").read_text())
        assert "refused" not in made({**values, "metrics": {"rules": False}}), environment


def test_what_is_said_of_one_workload_wins() -> None:
    """Over what other values make of it, each variable once."""
    own = {"query": {"environment": {"OPENWORK_MODEL_PROVIDER": "none"}}}
    found = objects({"model": {"provider": "gemini"}, "workloads": own, "contactEmail": "team@example.org"})
    assert environment_of(found, "query")["OPENWORK_MODEL_PROVIDER"] == "none"
    assert environment_of(found, "gap")["OPENWORK_MODEL_PROVIDER"] == "gemini"
    for workload in ("query", "gap"):
        (container,) = found["Deployment", workload]["spec"]["template"]["spec"]["containers"]
        names = [variable["name"] for variable in container["env"]]
        assert len(names) == len({*names})
    texts = [o["data"] for (kind, _), o in found.items() if kind == "ConfigMap" and "OPENWORK_SOURCES" in o["data"]]
    assert texts[0]["OPENWORK_CONTACT_EMAIL"] == "team@example.org"


@pytest.mark.parametrize(("provider", "may_be_absent"), [("gemini", False), ("openai", True)])
def test_a_key_that_a_model_needs_has_to_be_there(provider: str, may_be_absent: bool) -> None:
    """The pod then waits and says which Secret it lacks, and does not start to end."""
    model = {"provider": provider, "baseUrl": "https://models.example.org/v1", "fast": "small"}
    given = environment_of(objects({"model": model}), "query")
    assert given["OPENWORK_GEMINI_API_KEY"]["secretKeyRef"]["optional"] is may_be_absent
    assert given["OPENWORK_MODEL_API_KEY"]["secretKeyRef"]["optional"] is True


def test_a_collector_of_ones_own_is_reached() -> None:
    place = {"namespace": {"team": "watch"}, "pod": {"app": "otel"}, "port": 4318}
    tracing = {"endpoint": "http://otel.watch.svc.cluster.local:4318", "inCluster": place}
    policy = objects({"tracing": tracing})["NetworkPolicy", "services-to-collector"]
    (rule,) = policy["spec"]["egress"]
    assert rule["ports"] == [{"protocol": "TCP", "port": 4318}]
    assert rule["to"][0]["namespaceSelector"] == {"matchLabels": {"team": "watch"}}
