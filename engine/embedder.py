"""Meaning as vectors: the one small interface of all embedders, and what their likeness is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What an embedder's likeness is worth beside that of letters, measured on phrases with known terms; the defaults are the bundled one's.

    meaning: the length of the meaning's part in a joint vector, where the letters' part has 1.
    letters, joint: the weights of the likeness of letters and of joint vectors in a term's score.
    meant_from: from which dot product of the meaning's parts on (of at most meaning squared) a phrase may mean a term that it is not spelled like.
    nearest: how many terms of a phrase are looked at; a meaning that weighs more crowds out what is only spelled alike.
    most_rows: of how many rows of a table a vector is worth its time; of a larger table an even sample has one.
    """

    meaning: float = 0.8
    letters: float = 0.55
    joint: float = 0.42
    meant_from: float = 0.38
    nearest: int = 12
    most_rows: int = 50_000


class Embedder(Protocol):
    """Turns phrases into unit vectors; `name` changes whenever the vectors or their calibration would, and what was built with another is built anew."""

    @property
    def name(self) -> str:
        """Which model of which version, with its dimensions."""
        ...

    @property
    def address(self) -> str:
        """Where the phrases are sent; empty where they stay on this machine."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def calibration(self) -> Calibration:
        """How its likeness is weighed."""
        ...

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, dimensions), each row of length 1 (or 0 where nothing is known of the phrase)."""
        ...
