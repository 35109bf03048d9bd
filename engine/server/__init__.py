"""A local HTTP server with OpenAI's speech API, for other programs."""
