"""Meaning as vectors: one small interface, the bundled implementation, whose weights come with the package, and the choice among all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from engine.errors import UsageError
from engine.settings import data_folder, printable, setting

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


CHOICES: Final = ("bundled", "multilingual", "endpoint")


class BundledEmbedder:
    """WordLlama's averaged token vectors: no download, under a millisecond a question."""

    name = "wordllama-256"
    dimensions = 256
    calibration = Calibration()

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, 256), float32."""
        import numpy as np  # a question of exact terms embeds nothing, and is answered before numpy is imported

        if not phrases:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # half of a surrogate pair is no character, and its tokenizer refuses it
        texts = [phrase.encode("utf-8", "replace").decode() or " " for phrase in phrases]
        vectors = np.asarray(_model().embed(texts, norm=False), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.nan_to_num(vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


@cache
def _model():  # type: ignore[no-untyped-def]  # the package has no types
    import wordllama

    folder = Path(wordllama.__file__).parent  # its tokenizer lies beside its weights; without this it would look for a download
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def default_embedder() -> Embedder:
    """The embedder that needs no key; nothing heavy is imported until it embeds."""
    return BundledEmbedder()


def chosen_embedder() -> Embedder:
    """The embedder that ALMANAC_EMBEDDER names, the bundled one where it names none; raises UsageError for a setting that is wrong or missing."""
    choice = setting("ALMANAC_EMBEDDER").casefold() or "bundled"
    return embedder_named(choice)


def embedder_named(choice: str) -> Embedder:
    """One of CHOICES, set up from the environment where it needs that; raises UsageError."""
    if choice == "bundled":
        return default_embedder()
    if choice == "multilingual":
        from engine.embed_multilingual import MultilingualEmbedder  # an extra, which most do not install

        return MultilingualEmbedder()
    if choice == "endpoint":
        from engine.embed_endpoint import endpoint_from_settings  # requests takes as long to import as a question to answer

        return endpoint_from_settings(data_folder())
    raise UsageError(f'ALMANAC_EMBEDDER is "{printable(choice)}"; it can be {", ".join(CHOICES)}.')
