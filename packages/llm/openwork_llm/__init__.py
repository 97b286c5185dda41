"""Language models: one client for all services, with the retries, budgets and caches that vendors' kits lack."""
