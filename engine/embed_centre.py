"""What all vectors of a model have in common says nothing of a phrase, and is taken off: so that the likeness of unrelated phrases is near 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.embedder import Vectors

# Words of several languages that have nothing to do with each other; the mean of their vectors is what is in common.
UNRELATED: Final = (
    *("name", "address", "phone", "date", "total price", "company", "school", "city", "street", "north", "doctor", "engineer", "red"),
    *("large", "monday", "winter", "weight", "open", "closed", "animal", "music", "food", "car", "river", "country", "law", "sport"),
    *("money", "software", "family", "имя", "адрес", "город", "врач", "цена", "понедельник", "музыка", "школа", "красный", "река"),
    *("שם", "כתובת", "עיר", "רופא", "מחיר", "יום שני", "מוזיקה", "בית ספר", "אדום", "נהר", "nombre", "dirección", "ciudad", "médico"),
    *("precio", "lunes", "música", "escuela", "rojo", "río", "اسم", "مدينة", "ville", "prix", "Stadt", "Preis"),
)


def centred(vectors: NDArray[np.float32], common: NDArray[np.float32]) -> Vectors:
    """The vectors, shape (phrases, dimensions), without what they have in common, shape (dimensions,), each of length 1."""
    import numpy as np  # not before something is embedded

    left = vectors - common
    lengths = np.linalg.norm(left, axis=1, keepdims=True)
    return np.asarray(left / np.where(lengths > 0, lengths, 1), dtype=np.float32)
