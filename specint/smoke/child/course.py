"""The steps of one job, in their order."""

from __future__ import annotations

from typing import Any

from . import boot
from .building import build
from .channel import Channel


def run(package: str, job: dict[str, Any], channel: Channel) -> None:
    """Build the model and do with it what the job asks."""
    with channel.step("start"):
        boot.start(package, job["device"])
    built = build(package, job, channel)
