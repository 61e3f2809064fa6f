"""What is remembered, namespace by namespace: how much of it, for how long, and what goes first."""

from __future__ import annotations

from typing import Final, NamedTuple

_MB: Final = 2**20
_DAY: Final = 86_400.0  # seconds


class Namespace(NamedTuple):
    """The rules of one namespace: its limit in bytes, its lifetime in seconds, and diskcache's name for what goes when the limit is reached."""

    name: str
    limit: int
    lifetime: float
    eviction: str
    holds: str


STORED: Final = "least-recently-stored"  # reading writes nothing
USED: Final = "least-recently-used"  # what is asked for stays, at the price of a write for each reading

NAMESPACES: Final[dict[str, Namespace]] = {
    rules.name: rules
    for rules in (
        Namespace("tables", 16 * _MB, 90 * _DAY, STORED, "which stamp of a source gave which version, and what is asked most"),
        Namespace("histories", 32 * _MB, 90 * _DAY, USED, "the messages that show a table being created"),
        Namespace("plans", 128 * _MB, 2 * _DAY, USED, "the plans of questions, never rows"),
        Namespace("embeddings", 512 * _MB, 365 * _DAY, STORED, "vectors that an endpoint gave, by a digest of the text"),
        Namespace("replies", 128 * _MB, 30 * _DAY, USED, "what a model replied, by a digest of the request"),
    )
}


def rules_of(name: str) -> Namespace:
    """The rules of a namespace; cautious ones for a name that is not in the table."""
    return NAMESPACES.get(name) or Namespace(name, 64 * _MB, 30 * _DAY, STORED, "")
