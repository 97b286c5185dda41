"""A stand-in for model services: the Gemini REST API and the OpenAI chat API, honest or misbehaving on demand."""
