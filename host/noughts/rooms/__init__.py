"""One watch publishes its store's lines to an MQTT broker; another collects them: docs/rooms.md."""
