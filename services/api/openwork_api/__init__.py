"""The web app and the HTTP API: HTTP and rendering, nothing else; on the bus an asker like any other."""
