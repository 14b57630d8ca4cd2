"""The sandbox's parts: limits what a local bot can reach, by means that Linux offers to every user."""
