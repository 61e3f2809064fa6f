"""The bundled embedder, whose weights come with its package, and the choice among all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.embedder import Calibration, Embedder
from engine.endpoints import check_allowed
from engine.errors import UsageError
from engine.settings import data_folder, printable, setting

if TYPE_CHECKING:
    from engine.embedder import Vectors

CHOICES: Final = ("bundled", "multilingual", "endpoint")


class BundledEmbedder:
    """WordLlama's averaged token vectors: no download, under a millisecond a question."""

    name = "wordllama-256"
    address = ""
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


def chosen_embedder(endpoints: Sequence[str] | None = None) -> Embedder:
    """The embedder that ALMANAC_EMBEDDER names, the bundled one where it names none.

    endpoints: the only addresses that may be sent anything. Raises UsageError for a setting that is wrong or missing, or another address.
    """
    choice = setting("ALMANAC_EMBEDDER").casefold() or "bundled"
    embedder = embedder_named(choice)
    if embedder.address:
        check_allowed(embedder.address, endpoints)
    return embedder


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
