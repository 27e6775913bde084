"""Rooms without number: a watch publishes its store's lines to an MQTT broker, another collects.

A room sends lines until a collector has confirmed that they are stored, and the store takes each
sentence once however often it comes: so if any of the three is killed, nothing is lost or doubled.
"""
