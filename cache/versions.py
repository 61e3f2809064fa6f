"""Keeps built files: one version in service for each key, built by one builder at a time, held by any number of readers.

Below the root, each key has a folder:

    manifest.json       names the version in service
    note.json           what is said of that version since it was built; of another one it says nothing
    agreed.json         what was agreed on for all its versions
    build.lock          locked by the one who builds, switches or sweeps
    version-1f0c.../    a version, and in it the file `held`, locked (shared) by each of its readers
    making-77ab.../     a version that is being built, or was when its builder died
    gone-90de.../       on its way out
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from cache.errors import disk_error, no_folder, store_error
from cache.folders import digest, files_in, private, remove, safe_name, settle, settle_names, unique_name
from cache.held import HELD, Held, hold
from cache.locks import share, wait_for
from cache.manifest import (
    FILE,
    DamageError,
    Manifest,
    named_folder,
    read_agreed,
    read_manifest,
    write_agreed,
    write_manifest,
    write_note,
)
from cache.sweep import BUILD_LOCK, sweep, sweep_all, sweep_locked
from cache.types import JSON

log = logging.getLogger(__name__)

__all__ = ["Held", "Store"]

_TRIES = 100


class Store:
    """The built files below one folder, for any number of threads and processes."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    def current(self, key: str, *, used: bool = True) -> Held | None:
        """The version in service; None where there is none, or where it is damaged, which the log then says.

        used: whether this is a use, for which the version is kept longer; without it nothing on the disk is touched.
        Waits for nobody, and raises no OSError.
        """
        home = self._home(key)
        try:
            manifest = read_manifest(home, key)
            while manifest is not None:
                if held := hold(home, manifest, used=used):
                    return held
                # Either it was switched and swept just now, and the manifest names another, or what it names is not there.
                before, manifest = manifest, read_manifest(home, key)
                if manifest == before:
                    raise DamageError("the folder that it names is missing")
        except DamageError as damage:
            log.warning("Not using %s: %s.", home / FILE, damage)
        except OSError as error:
            log.warning("Not using %s: it could not be read (%s).", home / FILE, type(error).__name__)
        return None

    def mark(self, key: str) -> str:
        """What changes whenever another version is put in service, without reading which; empty where none is."""
        try:
            seen = (self._home(key) / FILE).stat()
        except OSError:
            return ""
        return f"{seen.st_ino}:{seen.st_mtime_ns}"

    def build(
        self, key: str, version: str, make: Callable[[Path], None], facts: dict[str, JSON], waiting: Callable[[], None] | None = None
    ) -> Held:
        """Have `make` fill an empty folder, put it in service as this version, and hold it.

        One caller builds a key at a time, over all threads and processes. The others wait, `waiting` being called once, and
        take what was built where it is the version that they want.
        make: must close what it writes (a version is never changed) and must not build the same key.
        facts: read after make has run, so that it may add to them.
        Whatever make raises leaves the old version in service and nothing behind; StoreError where the disk is full or the
        folder cannot be written.
        """
        home = self._home(key)
        with self._only_builder(home, waiting):
            if (held := self.current(key)) is not None:
                if held.version == version:
                    return held
                held.close()
            with self._explained():
                sweep_locked(home)
                making = home / unique_name("making")
                making.mkdir(mode=0o700)
            try:
                self._fill(making, make)
                with self._explained():
                    held = _switch(home, making, key, version, facts)
            except BaseException:
                remove(making)
                raise
            sweep_locked(home)
            return held

    def sweep(self, key: str) -> None:
        """Remove what no manifest names and no one holds; does nothing while someone builds."""
        sweep(self._home(key))

    def sweep_all(self, keep: Iterable[str], age: float) -> int:
        """Sweep every key, and remove what was built of keys that are not among these and were not used for `age` seconds; how many went.

        Bounded: see `cache.sweep`.
        """
        return sweep_all(self.root, {safe_name(key) for key in keep}, age)

    def note(self, key: str, held: Held, said: dict[str, JSON] | None) -> None:
        """Have `Held.note` say this of a version until another is in service; None takes it back.

        Nothing is written where another version is in service already. StoreError where it cannot be written.
        """
        home = self._home(key)
        with self._only_builder(home, None), self._explained():
            if named_folder(home) == held.folder.name:
                write_note(home, held.folder.name, said)

    def agreed(self, key: str) -> dict[str, JSON]:
        """What was agreed on for all versions of a key; nothing on the disk is touched."""
        return read_agreed(self._home(key))

    def agree(self, key: str, said: dict[str, JSON]) -> None:
        """Keep this in the place of what was agreed on before. StoreError where it cannot be written."""
        home = self._home(key)
        with self._only_builder(home, None), self._explained():
            write_agreed(home, said)

    def drop(self, key: str, held: Held | None = None) -> None:
        """Take the version out of service, so that the next caller builds it anew: for a reader that finds its files unusable.

        held: the version that is meant; one that was built in its place meanwhile stays in service.
        """
        home = self._home(key)
        with self._only_builder(home, None), self._explained():
            if held is None or named_folder(home) in (held.folder.name, None):
                (home / FILE).unlink(missing_ok=True)
                sweep_locked(home)

    def _home(self, key: str) -> Path:
        return self.root / safe_name(key)

    @contextmanager
    def _only_builder(self, home: Path, waiting: Callable[[], None] | None) -> Iterator[None]:
        with self._explained():
            missed = 0
            while True:
                try:
                    private(self.root)
                except FileNotFoundError as error:
                    raise no_folder(self.root) from error  # such as below /proc; its parents were made just now
                try:
                    private(home)
                    lock = wait_for(home / BUILD_LOCK, waiting)
                except (FileNotFoundError, FileExistsError):
                    missed += 1  # a sweeper took the folder just now
                    if missed < _TRIES:
                        continue
                    raise
                # Where the folder was removed while waiting, this lock keeps out no one who comes now.
                if lock.is_on(home / BUILD_LOCK):
                    break
                lock.close()
        with closing(lock):
            yield

    def _fill(self, making: Path, make: Callable[[Path], None]) -> None:
        try:
            make(making)
        except Exception as error:
            if (refusal := disk_error(error, self.root)) is None:
                raise
            raise refusal from error

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise store_error(error, self.root) from error


def _switch(home: Path, making: Path, key: str, version: str, facts: dict[str, JSON]) -> Held:
    """Put what was made in service: files first, then the name of their folder, then the manifest that names it."""
    files = dict(files_in(making))
    (making / HELD).touch(mode=0o600)
    settle(making)
    folder = home / unique_name("version")
    making.rename(folder)
    lock = None
    try:
        settle_names(home)
        lock = share(folder / HELD)
        assert lock is not None, "only sweepers lock it exclusively, and they wait for builders"
        manifest = Manifest(digest(key), version, folder.name, facts, datetime.now(UTC).isoformat(timespec="seconds"), files)
        write_manifest(home, manifest)
    except BaseException:
        if lock is not None:
            lock.close()  # now, and not when the last frame that saw it goes: it would keep out the next sweeper
        if named_folder(home) != folder.name:
            remove(folder)
        raise
    return Held(folder, manifest, lock)
