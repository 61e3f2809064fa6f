"""The tables of the state database."""

from __future__ import annotations

from sqlalchemy import DDL, BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text, event

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
    Column("schedule", String(32), nullable=False, server_default=""),  # that it was asked for by
    Column("above", Text, nullable=False, server_default=""),  # a line that stands above it
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

# questions that are asked again and again; whoever holds the lease asks
SCHEDULES = Table(
    "schedules",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("workspace", Text, nullable=False),
    Column("maker", Text, nullable=False),  # the platform's id
    Column("asker", Text, nullable=False),
    Column("place", Text, nullable=False),  # where the answer is said
    Column("question", Text, nullable=False),
    Column("language", String(8), nullable=False),
    Column("written", Text, nullable=False),  # when, as it was written
    Column("zone", String(64), nullable=False),
    Column("cron", Text, nullable=False),  # the same as it was read
    Column("next_at", Float, nullable=False),
    Column("lease", Float, nullable=False),
    Column("last_at", Float, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("failures", Integer, nullable=False),  # in a row
    Column("paused", String(16), nullable=False),  # why: "maker", "failures", "rights"; empty while it runs
    Column("at", Float, nullable=False),
    Index("schedules_due", "paused", "next_at"),
    Index("schedules_of", "platform", "workspace", "maker"),
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

# where the bot was met, for platforms on which nothing can be said to a channel by its id alone
PLACES = Table(
    "places",
    METADATA,
    Column("platform", String(16), primary_key=True),
    Column("channel", String(300), primary_key=True),
    Column("workspace", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("at", Float, nullable=False),
)

KEPT = Table("kept", METADATA, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))

# what was used up of a limit, for as long as it counts: questions for a minute, exported rows for a day
USED = Table(
    "used",
    METADATA,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("platform", String(16), nullable=False),
    Column("workspace", Text, nullable=False),
    Column("asker", Text, nullable=False),
    Column("what", String(16), nullable=False),
    Column("amount", Integer, nullable=False),
    Column("at", Float, nullable=False, index=True),
    Index("used_by", "platform", "workspace", "what", "asker", "at"),
)

# who asked for what and what they were given; entries are added, and never changed
AUDIT = Table(
    "audit",
    METADATA,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("action", String(16), nullable=False),
    Column("platform", String(16), nullable=False),
    Column("workspace", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("asker", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("reply", String(32), nullable=False),
    Column("question", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("tables", Text, nullable=False),  # a list, as JSON
    Column("columns", Text, nullable=False),  # a list, as JSON
    Column("rows", BigInteger, nullable=False),
    Column("row_ids", Text),  # by table, as JSON
    Column("plan", Text, nullable=False),  # JSON
    Column("planner", String(16), nullable=False),
    Column("scope", String(64), nullable=False),
    Column("exported", BigInteger, nullable=False),
    Column("spend", Float, nullable=False),
    Index("audit_at", "at", "id"),
    Index("audit_asker", "asker", "at"),
    sqlite_autoincrement=True,  # no number is given twice, so that a gap tells
)
Index(
    "audit_spend",
    AUDIT.c.platform,
    AUDIT.c.workspace,
    AUDIT.c.at,
    sqlite_where=AUDIT.c.spend > 0,
    postgresql_where=AUDIT.c.spend > 0,
)

# which entries may be removed by the transaction that wrote this row, which removes it again: those before a time, of one asker or (empty) of all
AUDIT_RELEASE = Table(
    "audit_release",
    METADATA,
    Column("asker", Text, primary_key=True),
    Column("before", Float, nullable=False),
)

_RELEASED = "EXISTS (SELECT 1 FROM audit_release WHERE OLD.at < audit_release.before AND audit_release.asker IN ('', OLD.asker))"
_IN_SQLITE = (
    "CREATE TRIGGER audit_not_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'an audit entry is never changed'); END",
    # INSERT OR REPLACE asks no trigger about the row that it removes
    "CREATE TRIGGER audit_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)"
    " BEGIN SELECT RAISE(ABORT, 'an audit entry is never changed'); END",
    f"CREATE TRIGGER audit_not_removed BEFORE DELETE ON audit WHEN NOT {_RELEASED}"
    " BEGIN SELECT RAISE(ABORT, 'an audit entry stays until its time'); END",
)
_IN_POSTGRESQL = (
    f"""CREATE OR REPLACE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'DELETE' THEN
            IF {_RELEASED} THEN
                RETURN OLD;
            END IF;
        END IF;
        RAISE EXCEPTION 'an audit entry stays as it is until its time';
    END $$""",
    "CREATE TRIGGER audit_row_stays BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays()",
    "CREATE TRIGGER audit_stays BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_stays()",
)
for _dialect, _statements in (("sqlite", _IN_SQLITE), ("postgresql", _IN_POSTGRESQL)):
    for _statement in _statements:
        # after all tables, of which the triggers name two; only where this one is new
        event.listen(AUDIT, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
