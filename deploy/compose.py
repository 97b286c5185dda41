"""The services' blocks in docker-compose.yml and in the overlays of deploy/compose/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openwork_bus.settings import DEFAULT_SOURCES, ServiceSettings

from deploy import sources
from deploy.permissions import OWNER, password_variable, password_variables
from deploy.registry import ServiceSpec, services
from deploy.settings_page import settings_of

_NETWORKS = {"internet": "outside", "triton": "models"}
_SETTINGS = {
    "internet": ("OPENWORK_CONTACT_EMAIL",),
    "triton": ("OPENWORK_TRITON_URL", "OPENWORK_TRITON_MODEL", "OPENWORK_NLI_MODEL", "OPENWORK_NLI_LABELS"),
}
"""Settings of services that reach something, taken from the environment or .env where they are set there."""
_LISTENS = {
    "OPENWORK_API_HOST": "0.0.0.0",  # noqa: S104 - of the container, whose port is published on loopback
    "OPENWORK_API_OPEN": "${OPENWORK_API_OPEN:-true}",
}
"""Settings of an asker: it is reached from this machine alone, and whoever sits there needs no key."""
_REGISTRY = "${OPENWORK_REGISTRY:-localhost/openwork}"
"""Of the images: the name of a registry of one's own, else one that nothing is pulled from. A name without a host would
be looked for in a public registry, where anybody may have taken it."""
_PUBLISHED = "127.0.0.1:${OPENWORK_API_PORT:-8000}:8000"


def blocks() -> str:
    """Every service of docker-compose.yml. An image is built by one block only; others of the same image use it."""
    return "\n".join("\n".join(_block(*container)) + "\n" for container in containers()).rstrip("\n")


def containers() -> Iterator[tuple[ServiceSpec, str, tuple[str, ...]]]:
    """Service, name of its block, and the sources that it asks where it has one workload per source."""
    for service in services():
        if not service.containers:
            yield service, service.name, ()
        for container in service.containers:
            yield service, f"{service.name}-{container.suffix}", container.sources


def _block(service: ServiceSpec, name: str, asked: tuple[str, ...]) -> Iterator[str]:
    reaches = _reaches(service, asked)
    yield f"{name}:"
    yield "  <<: *service"
    yield f"  image: {_REGISTRY}/{service.name}:${{OPENWORK_VERSION:-0.1.0}}"
    if name == service.container_names[0]:
        pins = f", REQUIREMENTS: {service.requirements}" if service.image_extra else ""
        yield "  build:"
        yield "    <<: *build"
        yield f"    args: {{<<: *labels, SERVICE: {service.name}{pins}}}"
    else:
        yield f"  pull_policy: never  # built by {service.container_names[0]}"
    variables = [*_login(service.user)]
    variables += [f"OPENWORK_RETRIEVER_SOURCES: {','.join(asked)}"] if asked else []
    known = {f"OPENWORK_{name.upper()}" for name in settings_of(service).model_fields}
    variables += [f"{name}: " for what in reaches for name in _SETTINGS.get(what, ()) if name in known]
    variables += _listening(service) if service.asker else ()
    yield "  environment:"
    yield "    <<: *environment"
    yield from (f"    {variable}".rstrip() for variable in variables)
    networks = [_NETWORKS[what] for what in reaches if what in _NETWORKS]
    if service.asker:
        yield f'  ports: ["{_PUBLISHED}"]'
        networks.append("outside")  # an internal network publishes no port
    if networks:
        yield f"  networks: [{', '.join(('bus', *networks))}]"
    memory = service.resources.memory_limit.removesuffix("i")
    if memory != "256M":  # what x-service says
        yield f"  deploy: {{resources: {{limits: {{memory: {memory}, pids: 128}}}}}}"


def _listening(service: ServiceSpec) -> Iterator[str]:
    """Its own settings, taken from .env where they are set there, but for what the block itself says."""
    yield from (f"{name}: {value}" for name, value in _LISTENS.items())
    own = (name for name in settings_of(service).model_fields if name not in ServiceSettings.model_fields)
    names = (f"OPENWORK_{name.upper()}" for name in own)
    yield from (f"{name}: " for name in names if name not in (*_LISTENS, "OPENWORK_API_PORT"))


def _login(user: str) -> tuple[str, ...]:
    return f"OPENWORK_NATS_USER: {user}", f"OPENWORK_NATS_PASSWORD: {_password(password_variable(user))}"


def _password(variable: str) -> str:
    """Of .env, else one that everybody can read here: it keeps nobody out."""
    user = variable.rpartition("_")[2].lower()
    return f"${{{variable}:-development-{user}}}"


def topology_login() -> str:
    """How the job logs in that makes streams and consumers."""
    return "\n".join(_login(OWNER))


def server_passwords() -> str:
    """The same passwords for the server: of every user there is without `openwork accounts add`."""
    return "\n".join(f"{variable}: {_password(variable)}" for variable in password_variables())


def required_passwords() -> str:
    """The server's passwords where there are none to fall back on."""
    return "\n".join(f"{variable}: ${{{variable}:?run scripts/passwords.sh env}}" for variable in password_variables())


def _reaches(service: ServiceSpec, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The library needs no way out."""
    return () if asked and not any(map(sources.is_outside, asked)) else service.reaches


def _works_offline(asked: tuple[str, ...]) -> bool:
    return bool(asked) and all(map(sources.works_offline, asked))


def traced() -> str:
    """Every container sends its spans."""
    return _each((name for _, name, _ in containers()), "*traced")


def offline() -> str:
    """What has nothing to do without a network is not started."""
    return "\n".join(
        f"{name}: {'*none' if service.needs_internet and not _works_offline(asked) else '*offline'}"
        for service, name, asked in containers()
    )


def closed() -> str:
    """Askers let nobody in without a key."""
    return _each((name for service, name, _ in containers() if service.asker), "*closed")


def with_model() -> str:
    """The services that may ask a language model."""
    return _each((name for service, name, _ in containers() if "model" in service.reaches), "*model")


def with_keys() -> str:
    """Every container knows which sources there are; those that use a key get it."""
    lines: list[str] = []
    for service, name, asked in containers():
        keys = dict.fromkeys((*service.keys, *(key for route in asked for key in sources.keys(route))))
        if not keys or service.asker:  # an asker has all its settings in docker-compose.yml
            lines.append(f"{name}: *sources")
            continue
        lines += [f"{name}:", "  environment:", "    <<: *more-sources"]
        lines += [f"    OPENWORK_{key.upper()}:" for key in keys]
    return "\n".join(lines)


def with_sources() -> str:
    """Every container knows which sources there are."""
    return _each((name for _, name, _ in containers()), "*sources")


def default_sources(variable: str) -> str:
    """The line that gives the default sources."""
    return f"OPENWORK_SOURCES{variable.format(sources=DEFAULT_SOURCES)}"


def _each(names: Iterable[str], what: str) -> str:
    return "\n".join(f"{name}: {what}" for name in names)
