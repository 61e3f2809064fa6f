"""What can go wrong, one class a stage; a message is one sentence for the user, made of names and numbers and never of another exception's text."""

from __future__ import annotations


class AlmanacError(Exception):
    """The root: its text is for the user, `status` is the command line's exit status."""

    status = 3


class UsageError(AlmanacError):
    """The call is wrong: an argument, a question, an option."""

    status = 2


class CatalogError(AlmanacError):
    """A catalog is wrong: the message names the file, the key and what would be right."""

    status = 2


class NothingToSeeError(CatalogError):
    """The rules of a catalog let somebody see a table and none of its columns."""


class SourceError(AlmanacError):
    """A source cannot be read: missing, empty, binary, truncated, unreachable."""

    status = 2


class BuildError(AlmanacError):
    """A table could not be built: a full disk, a read-only folder."""


class PlanError(AlmanacError):
    """A plan names what does not exist, may not be seen, or does not fit its type."""


class ExecutionError(AlmanacError):
    """A checked plan failed or took too long; `detail` is what SQLite said, for a model that repairs the plan and for nobody else."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class EmbeddingError(AlmanacError):
    """What turns phrases into vectors is away, refuses, or gives what it should not."""


class ModelError(AlmanacError):
    """A language model is away, refuses, or gives what it should not; or what asks it is not installed."""


class DamageError(AlmanacError):
    """A built table's files are not what was built; they can be built anew from the source."""
