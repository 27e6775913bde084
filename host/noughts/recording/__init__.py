"""Recording: sources of sentences, such as ports that come and go, and their way to the store."""
