"""All services in one process, or one each, with an embedded NATS server; the openwork command."""
