"""One module per kind of model service. Each sends one request and says what came back; nothing here tries twice."""
