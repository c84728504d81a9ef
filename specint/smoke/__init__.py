"""The runtime smoke load: a tiny model in a process of its own is asked what the contract asks."""
