"""Meaning from an endpoint that is compatible with OpenAI's /v1/embeddings: batched, patient for a while, and never asked twice for the same text."""

from __future__ import annotations

import base64
import binascii
import logging
import math
import threading
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cache.hints import Hints
from engine.embed_centre import UNRELATED, centred
from engine.embed_request import Endpoint
from engine.embedder import Calibration
from engine.endpoints import OPENAI, endpoint_setting
from engine.errors import EmbeddingError, UsageError
from engine.settings import remembers, setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.embedder import Vectors

MODEL: Final = "text-embedding-3-small"
BATCH: Final = 256  # texts of one request
BATCH_LENGTH: Final = 150_000  # characters of one request, far below what OpenAI takes in any script
LONGEST: Final = 4_000  # characters of one text: models take 8,000 tokens, and a letter may be two
QUESTION: Final = 64  # as many phrases as a question has: someone waits for these
PATIENCE: Final = 20.0  # seconds that someone waits
log = logging.getLogger(__name__)


class EndpointEmbedder:
    """Vectors of a model elsewhere, remembered by model, address and text; their dimensions are found from the first reply.

    Raises EmbeddingError from any of its members where the endpoint is away, refuses, or gives what it should not.
    """

    calibration = Calibration(meaning=1.2, letters=0.4, joint=0.42, meant_from=0.76, nearest=32, most_rows=10_000)

    def __init__(self, endpoint: Endpoint, hints: Hints) -> None:
        self._endpoint = endpoint
        self._hints = hints
        self._lock = threading.Lock()
        self._dimensions = 0
        self._shared: NDArray[np.float32] | None = None

    @property
    def name(self) -> str:
        """The model, a mark of the address, and the dimensions."""
        mark = blake2b(self._endpoint.address.encode(), digest_size=4).hexdigest()
        return f"{self._endpoint.model}@{mark}-{self.dimensions}"

    @property
    def address(self) -> str:
        """The endpoint's."""
        return self._endpoint.address

    @property
    def dimensions(self) -> int:
        """As the endpoint's first reply had them, which is remembered: what is built opens without asking again."""
        with self._lock:
            if not self._dimensions:
                known = self._hints.get(self._key("dimensions"))
                self._dimensions = known if isinstance(known, int) and known > 0 else self._first()
            return self._dimensions

    def _first(self) -> int:
        (vector,) = self._endpoint.ask(("dimensions",))
        self._hints.set(self._key("dimensions"), len(vector))
        return len(vector)

    def embed(self, phrases: Sequence[str]) -> Vectors:
        """Shape (phrases, dimensions), float32; a blank phrase has length 0, and of a long text the first 4,000 characters count."""
        import numpy as np  # not before something is embedded

        vectors = np.zeros((len(phrases), self.dimensions), dtype=np.float32)
        # half of a surrogate pair is no character, and JSON with it is refused
        texts = [phrase[:LONGEST].encode("utf-8", "replace").decode().strip() for phrase in phrases]
        said = [place for place, text in enumerate(texts) if text]
        if said:
            vectors[said] = centred(self._raw([texts[place] for place in said]), self._common())
        return vectors

    def _common(self) -> NDArray[np.float32]:
        """What the model's vectors have in common, shape (dimensions,)."""
        if self._shared is None:
            self._shared = self._raw(UNRELATED).mean(axis=0)
        return self._shared

    def _raw(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The endpoint's own vectors at length 1, each asked for once."""
        import numpy as np

        found = {text: self._remembered(text) for text in texts}
        unknown = [text for text, known in found.items() if known is None]
        patience = PATIENCE if len(unknown) <= QUESTION else None
        for batch in _batches(unknown):
            for text, numbers in zip(batch, self._endpoint.ask(batch, patience), strict=True):
                vector = self._unit(numbers)
                found[text] = vector
                self._hints.set(self._key("text", text), base64.b64encode(vector.astype("<f4").tobytes()).decode())
        if unknown:
            log.info("embedded", extra={"texts": len(unknown), "remembered": len(found) - len(unknown)})
        return np.asarray([found[text] for text in texts], dtype=np.float32)

    def _unit(self, numbers: Sequence[float]) -> NDArray[np.float32]:
        import numpy as np

        if len(numbers) != self.dimensions:
            self._hints.forget(self._key("dimensions"))  # the next start finds them anew, and builds with them
            raise EmbeddingError(
                f"The embedding endpoint at {self._endpoint.host} now gives {len(numbers)} numbers a text where it gave {self.dimensions}; "
                f"start again, so that the tables are built for the model as it is."
            )
        vector = np.asarray(numbers, dtype=np.float64)
        length = math.sqrt(float(vector @ vector))
        return np.asarray(vector / (length or 1.0), dtype=np.float32)

    def _remembered(self, text: str) -> NDArray[np.float32] | None:
        import numpy as np

        kept = self._hints.get(self._key("text", text))
        if not isinstance(kept, str):
            return None
        try:
            vector = np.frombuffer(base64.b64decode(kept, validate=True), dtype="<f4")
        except (binascii.Error, ValueError):
            return None
        return vector.astype(np.float32) if vector.shape == (self.dimensions,) and bool(np.isfinite(vector).all()) else None

    def _key(self, *about: str) -> str:
        return "\0".join((self._endpoint.model, self._endpoint.address, *about))


def _batches(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    batch: list[str] = []
    length = 0
    for text in texts:
        if batch and (len(batch) == BATCH or length + len(text) > BATCH_LENGTH):
            yield tuple(batch)
            batch, length = [], 0
        batch.append(text)
        length += len(text)
    if batch:
        yield tuple(batch)


def endpoint_from_settings(data: Path) -> EndpointEmbedder:
    """The endpoint of OPENAI_BASE_URL, remembered below the data folder; raises UsageError where the address or the key cannot be right."""
    address, key = endpoint_setting()
    if address == OPENAI and not key:
        raise UsageError(
            "ALMANAC_EMBEDDER is endpoint, which needs OPENAI_API_KEY, or OPENAI_BASE_URL where another endpoint needs no key."
        )
    endpoint = Endpoint(address, key, setting("ALMANAC_EMBEDDING_MODEL") or MODEL)
    return EndpointEmbedder(endpoint, Hints(data, "embeddings", on=remembers()))
