"""What every service needs and no service should write again: bus, joins, timers, retries, tracing, health."""
