"""The tables of the state database."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()

# what was heard, by whatever tells a redelivery
SEEN = Table("seen", METADATA, Column("key", String(300), primary_key=True), Column("at", Float, nullable=False, index=True))

# what was asked and is being answered; whoever holds the lease works on it
QUESTIONS = Table(
    "questions",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("incoming", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("lease", Float, nullable=False, index=True),
    Column("tries", Integer, nullable=False),
)

# what was said in a conversation; who is the platform's id of the asker, empty for the bot
TURNS = Table(
    "turns",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("conversation", String(64), nullable=False),
    Column("who", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Float, nullable=False, index=True),
    Index("turns_of_conversation", "conversation", "id"),
)

# replies without their rows, which their plans give again
REPLIES = Table(
    "replies",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("place", Text, nullable=False),
    Column("asker", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("language", String(8), nullable=False),
    Column("carried", Text, nullable=False),
    Column("message", String(300), nullable=False),  # what the platform calls the message, once it is posted
    Column("scope", String(64), nullable=False, server_default=""),  # the key of what its readers may see
    Column("at", Float, nullable=False, index=True),
)

# replies that have still to be posted, and until when nobody else may try
OUTBOX = Table(
    "outbox",
    METADATA,
    Column("reply", String(32), primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("due", Float, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Index("outbox_due", "platform", "due"),
)

FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("reply", String(32), primary_key=True),
    Column("asker", String(200), primary_key=True),
    Column("verdict", String(8), nullable=False),
    Column("at", Float, nullable=False, index=True),
)

# what someone meant by a phrase when it was asked back or corrected; the key is the person's and the phrase's
CHOICES = Table(
    "choices",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("person", String(64), nullable=False, index=True),
    Column("phrase", Text, nullable=False),
    Column("meant", Text, nullable=False),  # the column and the term, as JSON
    Column("at", Float, nullable=False, index=True),
)

KEPT = Table("kept", METADATA, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))
