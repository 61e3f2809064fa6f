"""Text of tables and people made harmless for Slack: it mentions nobody, opens no link and formats nothing; and Slack's markup as plain text."""

from __future__ import annotations

import html
import re
from typing import Final

from bot.escape import lines

_JOINER: Final = "\u2060"  # joins without a width: what it stands in is no markup any more, and looks the same
_LOOKS_LIKE: Final = str.maketrans({"*": "∗", "~": "∼", "`": "ˋ"})
_UNDERLINE: Final = re.compile(r"(?<!\w)_|_(?!\w)")
_EMOJI: Final = re.compile(r":(?=[a-z0-9_'+-]*[a-z+][a-z0-9_'+-]*:)", re.IGNORECASE)
_QUOTE: Final = re.compile(r"^(\s*)>", re.MULTILINE)
_MARKUP: Final = re.compile(r"<(?=[!@#]|[a-zA-Z][a-zA-Z0-9+.-]*:)")
_ENTITY: Final = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


def mrkdwn(text: str) -> str:
    """The text as it has to stand in mrkdwn to be read as it is.

    >>> mrkdwn("<!channel> *now* & snake_case")
    '&lt;!channel&gt; ∗now∗ &amp; snake_case'
    """
    plain = lines(text).translate(_LOOKS_LIKE)
    plain = _EMOJI.sub(":" + _JOINER, _UNDERLINE.sub("ˍ", plain))
    plain = _QUOTE.sub(rf"\1{_JOINER}>", plain)
    return html.escape(plain, quote=False)


def literal(text: str) -> str:
    """The text for a place where Slack reads no markup; what looks like a mention or a link is taken apart nevertheless, invisibly."""
    return _MARKUP.sub("<" + _JOINER, lines(text))


def plain(text: str, own: str = "") -> str:
    """A message as its writer saw it: mentions and links as their labels, without the first mention of the user id `own`.

    >>> plain("<@U0BOT> who is at <http://a.b|A.B> &amp; co", "U0BOT")
    'who is at A.B & co'
    """
    if own:
        text = re.sub(rf"<@{re.escape(own)}(?:\|[^<>]*)?>[:,]?", " ", text, count=1)
    return html.unescape(_ENTITY.sub(_label, text)).strip()


def _label(found: re.Match[str]) -> str:
    sign, target, label = found[1], found[2], found[3] or ""
    if sign == "!":
        return label
    if sign:
        return label if label.startswith(sign) else sign + (label or target)
    return label or target.removeprefix("mailto:")
