"""Rooms without number: a watch publishes its raw lines to an MQTT broker, another collects them.

A room sends lines until a collector has confirmed that they are stored, and the store takes each
sentence once however often it comes: so whoever of the three is killed, nothing is lost or doubled.
"""
