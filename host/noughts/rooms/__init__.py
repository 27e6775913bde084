"""A watch publishes its store's lines to an MQTT broker, and another collects: docs/rooms.md."""
