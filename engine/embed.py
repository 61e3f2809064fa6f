"""Meaning as vectors: one small interface, and the bundled implementation, whose weights come with the package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns phrases into unit vectors; `name` changes whenever the vectors would."""

    name: str
    dimensions: int

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, dimensions), each row of length 1 (or 0 where nothing is known of the phrase)."""
        ...


class BundledEmbedder:
    """WordLlama's averaged token vectors: no download, under a millisecond a question."""

    name = "wordllama-256"
    dimensions = 256

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, 256), float32."""
        import numpy as np  # a question of exact terms embeds nothing, and is answered before numpy is imported

        if not phrases:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = np.asarray(_model().embed([phrase or " " for phrase in phrases], norm=False), dtype=np.float32)
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
