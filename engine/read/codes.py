"""Codes: digits that are names and not quantities, and short texts of letters and digits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_DIGITS = re.compile(r"\d+")
# Words of a column's name by which its owner says that the figures in it are no quantities.
_NAMES = re.compile(
    r"(?:^|[\W_])(?:code|codes|fips|zip|zipcode|zip_code|postcode|post_code|postal|plz|phone|telephone|tel|mobile|fax|isbn|issn|ean|gtin|upc|sku|iban|bic|nsn|vat"
    r"|siret|siren|insee|barcode|uprn|ssn|codice|código|codigo|kod|kodas|code_insee|telefon|telefono|teléfono|téléphone|cedula|cpf|cnpj|nif"
    r"|код|индекс|телефон|инн|огрн|קוד|טלפון|מיקוד|נייד|פקס|ת\.ז|电话|電話|邮编|郵便番号)(?:$|[\W_])",
    re.IGNORECASE,
)
_SHORT = re.compile(r"[A-Z0-9]+(?:[ ./*_-][A-Z0-9]+){0,5}")
_LETTERS = re.compile(r"[A-Z]+")
_PHONE = re.compile(r"(?:\+|\(|00?)?[\d() ./-]{5,24}(?: ?(?:x|ext\.?) ?\d{1,5})?")
_RANGE = re.compile(r"\d{1,4}\s*[-–/]\s*\d{1,4}")
_COORDINATE = re.compile(r"^-?\d+\.\d+$|\(\d+\.|^\d\.\d\b")
_RESULT = re.compile(r"^[A-Z] \d{1,3}[-–]\d{1,3}")
_LOOKED_AT = 3000


def named_as_code(name: str) -> bool:
    """Whether a column's name says that it holds codes, postcodes or phone numbers."""
    return bool(_NAMES.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)))


def digits_are_codes(texts: Sequence[str], name: str) -> bool:
    """Whether a column of whole numbers (distinct texts, blanks off) holds codes.

    So it is where leading zeros stand before figures of one width, where numbers are longer than any quantity, or where all have one width
    and either
    the name says so or there are many of a width that no quantity keeps.
    """
    if not texts or not all(map(_DIGITS.fullmatch, texts)):
        return False
    if max(map(len, texts)) > 17:
        return True
    zeros = [text for text in texts if len(text) > 1 and text[0] == "0"]
    if zeros and (len(zeros) > 1 or len(texts) < 100 or len(zeros[0]) == _usual(texts)):
        return True
    widths = {len(text) for text in texts}
    if len(widths) > 1:
        return named_as_code(name) and min(widths) >= 6
    width = widths.pop()
    if named_as_code(name):
        return width >= 3
    if width >= 8:
        return len(texts) >= 20
    numbers = [int(text) for text in texts]
    return width >= 5 and len(texts) >= 50 and max(numbers) - min(numbers) < 10**width // 20


def texts_are_codes(texts: Sequence[str], name: str) -> bool:
    """Whether a column of texts (distinct, blanks off) holds codes, postcodes or phone numbers and no words."""
    looked = texts if len(texts) <= _LOOKED_AT else texts[:: len(texts) // _LOOKED_AT + 1]
    if not looked or max(map(len, looked)) > 40:
        return False
    share = sum(map(_is_code, looked)) / len(looked)
    return share >= (0.6 if named_as_code(name) else 0.95)


def _is_code(text: str) -> bool:
    if _RANGE.fullmatch(text) or _COORDINATE.search(text) or _RESULT.search(text):
        return False
    if text.isdigit():
        return len(text) > 1 and text[0] == "0"
    groups = _DIGITS.findall(text)
    if _PHONE.fullmatch(text):  # "33 - 18 - 10" are wins and losses
        return sum(map(len, groups)) >= 6 and max(map(len, groups)) >= 3
    return bool(groups) and bool(_SHORT.fullmatch(text)) and all(len(word) <= 6 for word in _LETTERS.findall(text))


def _usual(texts: Sequence[str]) -> int:
    return Counter(map(len, texts)).most_common(1)[0][0]
