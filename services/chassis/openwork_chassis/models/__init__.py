"""Language models: one client for all services, with the retries, budgets, caches and traces that vendors' kits lack."""
