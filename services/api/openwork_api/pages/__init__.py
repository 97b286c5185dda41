"""The web app: pages that are rendered here, each from a view of what the services say; no page decides anything."""
