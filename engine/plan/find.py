"""Finds the mentions of a question in one table: exact terms first, then parts of names, then near and meant terms where words are left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime

from engine.build.facts import ColumnFacts
from engine.embedder import Embedder
from engine.fold import fold, key, stems
from engine.hours import When, asked
from engine.language import Function, Language
from engine.letters import likeness
from engine.plan.columns import ColumnNames, column_names, named_columns, names_place, near_columns, same_figures
from engine.plan.literals import dates, numbers
from engine.plan.mentions import LONGEST_SPAN, Mention, Option, Token, span_keys
from engine.table import FoundTerm, OpenTable
from engine.types import Chosen, How, Operator

LONGEST_FUNCTION = 6
MOST_NEAR_PHRASES = 24
NOUN_FROM, COLUMN_FROM = 0.5, 0.55  # cosines of meanings
MEANT_QUALITY = 0.62
MOST_MEANT_COLUMNS = 200
# Calibrated on phrases with known terms: a near term is taken from this likeness on, shorter phrases needing more.
NEAR_FROM = 0.60
_MEANT = 0.38  # the bundled embedder's meant_from: the scale on which the quality of what is meant is said
_TYING = ("stop", "link", "place", "and", "or", "negation", "compare", "superlative", "count", "each", "who", "where", "when", "which")


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds mentions in one table for one question."""

    table: OpenTable
    language: Language
    text: str
    tokens: Sequence[Token]
    names: ColumnNames
    now: datetime
    chosen: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # for a phrase the column and folded term that were chosen before

    # ---- without a search

    def certain(self) -> list[Mention]:
        """Function words, columns, row nouns, literals, exact terms and parts of names."""
        literals = {(mention.start, mention.end): mention for mention in self._literals()}
        values = []
        for value in self._values():  # a number or date that is a term too keeps both
            literal = literals.pop((value.start, value.end), None)
            values.append(replace(value, number=literal.number, dates=literal.dates) if literal else value)
        parts = self._parts([m for m in values if m.quality >= 0.9])
        return [*self._hours(), *self._functions(), *self._columns(), *self._nouns(), *literals.values(), *values, *parts]

    def _spans(self, longest: int) -> Iterable[tuple[int, int]]:
        for start in range(len(self.tokens)):
            for end in range(start + 1, min(len(self.tokens), start + longest) + 1):
                yield start, end

    def _functions(self) -> Iterable[Mention]:
        for start, end in self._spans(LONGEST_FUNCTION):
            phrase = " ".join(token.word.folded for token in self.tokens[start:end])
            if functions := self.language.functions.get(phrase):
                if self.language.does(phrase, "count") and self._column_of(start, end):
                    continue  # "quantity of": the column is meant
                yield Mention(start, end, "function", 1.0, functions=functions)

    def _column_of(self, start: int, end: int) -> bool:
        first = self.tokens[start]
        return end == start + 2 and first.content and any(column.key == first.word.folded for column in self.table.facts.columns)

    def _columns(self) -> Iterable[Mention]:
        nouns = {stems(noun) for noun in self.table.facts.nouns}
        for start, end in self._spans(8):
            edges = self.tokens[start].content and self.tokens[end - 1].content
            if start == 0 and end == 1 and not edges and len(self.tokens) > 1 and self.language.does(self.tokens[0].word.folded, "ask"):
                continue  # "name the winner"
            best: dict[str, tuple[ColumnFacts, float]] = {}
            for phrase in span_keys(self.tokens, start, end):
                for column, quality in named_columns(self.names, phrase, self.language):
                    if quality < 0.95 and stems(phrase) in nouns:
                        continue  # a word for the rows is no part of a column's name
                    if not edges and not (
                        quality >= 0.95
                        and (
                            phrase == column.key
                            or phrase in column.other_names
                            or self._content(start, end)
                            or self.language.does(phrase, "name_of")
                        )
                    ):
                        continue  # part of a name is no function word
                    if column.name not in best or best[column.name][1] < quality:
                        best[column.name] = (column, quality)
            if best:
                ranked = sorted(best.values(), key=lambda named: -named[1])
                yield Mention(start, end, "column", ranked[0][1], columns=tuple(ranked[:6]))

    def _nouns(self) -> Iterable[Mention]:
        nouns = {stems(noun) for noun in self.table.facts.nouns}
        nouns |= {noun.replace(" ", "") for noun in nouns}
        phrases = {stems(phrase): (start, end) for start, end in self._spans(4) for phrase in span_keys(self.tokens, start, end)}
        alike = self.table.synonyms_of(phrases)
        for start, end in self._spans(4):
            for phrase in map(stems, span_keys(self.tokens, start, end)):
                if phrase in nouns or phrase.replace(" ", "") in nouns:
                    yield Mention(start, end, "noun", 1.0)
                elif any(means in nouns for means, _ in alike.get(phrase, ())):
                    yield Mention(start, end, "noun", 0.85)

    def _literals(self) -> Iterable[Mention]:
        for found in dates(self.text, self.language):
            if span := self._covering(found.start, found.end):
                yield Mention(*span, "date", 1.0, dates=(found.first, found.last))
        for number in numbers(self.text):
            if span := self._covering(number.start, number.end):
                yield Mention(*span, "number", 0.8, number=number.value)
        for token in self.tokens:
            if (value := self.language.numbers.get(token.word.folded)) is not None:
                yield Mention(token.index, token.index + 1, "number", 0.6, number=float(value))

    def _hours(self) -> Iterable[Mention]:
        """ "open on Friday evening", where the table has opening hours."""
        if not any(column.hours for column in self.table.facts.columns):
            return
        spans: dict[tuple[int, int], list[When]] = defaultdict(list)
        for when in asked(self.text, self.language.code, self.now):
            if span := self._covering(*when.phrase):
                spans[span].append(when)
            if when.elsewhere and (apart := self._covering(*when.elsewhere)):
                yield Mention(*apart, "function", 1.0, functions=(Function("stop"),))
        for span, whens in spans.items():
            yield Mention(*span, "hours", 1.0, whens=tuple(whens))

    def _covering(self, start: int, end: int) -> tuple[int, int] | None:
        inside = [token.index for token in self.tokens if token.word.start < end and start < token.word.end]
        if not inside or self.tokens[inside[-1]].word.end > end + 1:
            return None
        return inside[0], inside[-1] + 1

    def _content(self, start: int, end: int) -> bool:
        return any(token.content for token in self.tokens[start:end])

    # ---- terms

    def _values(self) -> list[Mention]:
        keys: dict[str, list[tuple[int, int]]] = defaultdict(list)
        stemmed: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for start, end in self._spans(LONGEST_SPAN):
            single = not self._content(start, end) and end - start == 1 and not self.tokens[start].proper
            if single and any(self.language.does(self.tokens[start].word.folded, kind) for kind in _TYING):
                continue
            for phrase in span_keys(self.tokens, start, end):
                keys[phrase].append((start, end))
                if single:
                    continue
                if end - start <= 6:
                    stemmed[stems(phrase)].append((start, end))
        for found in dates(self.text, self.language):
            if (span := self._covering(found.start, found.end)) and found.first == found.last:
                keys[found.first].append(span)
        for number in numbers(self.text):
            if span := self._covering(number.start, number.end):
                value = number.value
                keys[str(int(value)) if value.is_integer() else str(value)].append(span)
        options: dict[tuple[int, int], dict[tuple[str, str], Option]] = defaultdict(dict)
        nouns = {stems(noun) for noun in self.table.facts.nouns}

        def add(span: tuple[int, int], term: FoundTerm, how: How, quality: float) -> None:
            option = self._option(term, span, how, quality)
            mark = (term.column.name, term.folded)
            if mark not in options[span] or options[span][mark].quality < option.quality:
                options[span][mark] = option

        for term in self.table.terms_with_keys(keys):
            for span in keys.get(term.key, ()):
                if span[1] - span[0] > 1 and not self.tokens[span[0]].content and stems(" ".join(term.key.split()[1:])) in nouns:
                    continue  # "the pharmacy" is one of them, and not the one named so
                how: How = "exact" if not term.column.numeric else "number"
                add(span, term, how, 1.0)
        for term in self.table.terms_with_stems(stemmed):
            for span in stemmed.get(stems(term.key), ()):
                last = self.tokens[span[1] - 1]
                if last.stem in nouns and last.word.folded not in term.key.split() and span[1] - span[0] > 1:
                    continue  # "Ace pharmacies" are pharmacies called Ace, not the one named "Ace Pharmacy"
                add(span, term, "spelling", 0.95)
        joined: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for phrase, spans in keys.items():
            if not phrase.replace(" ", "").isdigit() and len(phrase) > 3:
                joined[phrase.replace(" ", "")] += spans
        for term in self.table.terms_joined(joined):
            for span in joined[term.key.replace(" ", "")]:
                add(span, term, "spelling", 0.94)
        for span, term, quality in self._said_otherwise(keys, stemmed):
            add(span, term, "synonym", quality)
        self._settle(keys, options)
        for span, meant in options.items():
            for option in self._narrower(span, list(meant.values())):
                meant[option.column.name, option.folded] = option
        return [
            Mention(
                *span,
                "value",
                max(o.quality for o in found.values()),
                options=tuple(sorted(found.values(), key=lambda o: (-o.quality, -o.rows))),
            )
            for span, found in options.items()
        ]

    def _settle(self, keys: Mapping[str, Sequence[tuple[int, int]]], options: dict[tuple[int, int], dict[tuple[str, str], Option]]) -> None:
        """A phrase whose meaning was chosen before has that one alone, where the term is still there."""
        settled = {phrase: meant for phrase, meant in self.chosen.items() if phrase in keys}
        for term in self.table.terms_folded(folded for _, folded in settled.values()):
            for phrase, meant in settled.items():
                if meant == (term.column.name, term.folded):
                    for span in keys[phrase]:
                        others = {
                            mark: replace(option, quality=option.quality / 2) for mark, option in options[span].items() if mark != meant
                        }
                        options[span] = {meant: self._option(term, span, "exact", 1.0), **others}

    def _said_otherwise(
        self, keys: dict[str, list[tuple[int, int]]], stemmed: dict[str, list[tuple[int, int]]]
    ) -> Iterable[tuple[tuple[int, int], FoundTerm, float]]:
        """Terms that the catalog or the general words give for a phrase; the catalog's win."""
        said = self.table.words.terms
        by_stems = {stems(phrase): meant for phrase, meant in said.items()}
        catalogued: set[tuple[int, int]] = set()
        wanted: dict[str, list[tuple[tuple[int, int], str]]] = defaultdict(list)
        for phrase, spans in keys.items():
            for column, folded in said.get(phrase, ()) or by_stems.get(stems(phrase), ()):
                for span in spans:
                    wanted[folded].append((span, column))
        for term in self.table.terms_folded(wanted):
            for span, column in wanted[term.folded]:
                if column in ("", term.column.name):
                    catalogued.add(span)
                    yield span, term, 0.97
        alike = self.table.synonyms_of(stemmed)
        others: dict[str, list[tuple[tuple[int, int], bool]]] = defaultdict(list)
        for phrase, meant in alike.items():
            for span in stemmed[phrase]:
                if span not in catalogued:
                    for means, hint in meant:
                        others[means].append((span, hint))
        for term in self.table.terms_with_stems(others):
            if term.column.kind == "category" or term.column.list_separator is not None:
                for span, hint in others.get(stems(term.key), ()):
                    yield span, term, 0.72 if hint else 0.88

    def _option(self, term: FoundTerm, span: tuple[int, int], how: How, quality: float) -> Option:
        """A term as a condition: for the naming column also what begins with it, where other names do."""
        column = term.column
        if column.list_separator is not None:
            return Option(column, "has", term.text, term.folded, how, quality, term.rows)
        if column.name == self.table.facts.naming and column.kind == "name" and how in ("exact", "spelling"):
            beginning = self.table.terms_beginning(column, term.folded)
            if len(beginning) > 1:
                return Option(column, "starts_with", term.text, term.folded, how, quality, sum(t.rows for t in beginning))
        return Option(column, "is", term.text, term.folded, how, quality, term.rows)

    # ---- parts of names and texts

    def _parts(self, covered: Sequence[Mention]) -> Iterable[Mention]:
        """Phrases whose words stand in the terms of a column without being one."""
        taken = {(m.start, m.end) for m in covered}
        known: dict[str, bool] = {}
        for start, end in self._spans(6):
            part = self.tokens[start:end]
            if (start, end) in taken or not all(token.content or token.proper for token in (part[0], part[-1])) or not self._wordy(part):
                continue
            if len({token.quote for token in part}) > 1 or any(token.breaks for token in part[:-1]):
                continue
            if not all(self._occurs(token.stem, known) for token in part):
                continue
            options = self._part_options([token.stem for token in part], self.text[part[0].word.start : part[-1].word.end])
            if options:
                yield Mention(start, end, "value", options[0].quality, options=tuple(options))

    def _wordy(self, part: Sequence[Token]) -> bool:
        return any(len(token.word.folded) > 2 and not token.word.folded[0].isdigit() for token in part if token.content or token.proper)

    def _occurs(self, word: str, known: dict[str, bool]) -> bool:
        if word not in known:
            known[word] = self.table.has_word(word)
        return known[word]

    def _narrower(self, span: tuple[int, int], options: Sequence[Option]) -> list[Option]:
        """Terms that begin with a phrase, in a column that determines the one where it is a term: the city of a district's name."""
        found = []
        for option in options:
            if option.how not in ("exact", "spelling", "near") or option.column.kind != "category" or option.quality < 0.6:
                continue
            before = self.tokens[span[0] - 1].word.folded if span[0] else ""
            placed = self.language.does(before, "place") or any(token.word.bare for token in self.tokens[span[0] : span[0] + 1])
            rivals = {other.column.name for other in options if other.quality > option.quality - 0.05}
            for column in self.table.facts.columns:
                if not names_place(self.names, column) and not (placed and names_place(self.names, option.column)):
                    continue
                if option.column.name in column.determines and column.kind == "category" and column.name not in rivals:
                    terms = self.table.terms_beginning_key(column, key(option.folded))
                    if len(terms) == 1:
                        found.append(self._option(terms[0], span, "part", option.quality - 0.02))
        return found

    def _part_options(self, words: list[str], phrase: str) -> list[Option]:
        options: list[Option] = []
        folded = fold(phrase)
        for adjacent in (True, False):
            if not adjacent and len(words) == 1:
                break
            for column, _, rows, beginning in self.table.columns_with_words(words, adjacent, folded):
                if any(option.column.name == column.name for option in options):
                    continue
                naming = column.name == self.table.facts.naming
                quality = (0.8 if len(words) > 1 else 0.62) if adjacent else 0.66
                quality += 0.12 if naming else 0.0 if column.kind == "name" else -0.15 if column.kind == "prose" else -0.05
                quality -= 0.2 if len(words) == 1 and not naming and column.kind != "category" else 0.0
                op: Operator = "words"
                if naming and beginning and column.list_separator is None:
                    op, quality = "starts_with", quality + 0.03
                options.append(Option(column, op, phrase, folded, "part", quality, rows))
        return sorted(options, key=lambda option: -option.quality)

    # ---- near and meant

    def near(self, spans: Sequence[tuple[int, int]], embedder: Embedder, lost: Set[int] = frozenset()) -> list[Mention]:
        """Terms and columns that are spelled like these phrases or mean the same, by one batched search; lost are words without a place."""
        from engine.lance import joint_vectors, near_terms  # seconds to import, and most questions do without

        spans = spans[:MOST_NEAR_PHRASES]
        kept = [(span, phrase) for span in spans for phrase in self.searched(*span) if len(phrase) > 2]
        if not kept:
            return []
        vectors = joint_vectors([phrase for _, phrase in kept], [True] * len(kept), embedder)
        mentions: dict[tuple[int, int], list[Option]] = defaultdict(list)
        nearest = near_terms(self.table.index, vectors, embedder.calibration.nearest)
        terms = {term.id: term for term in self.table.terms_with_ids(near.id for found in nearest for near in found)}
        for (span, phrase), found in zip(kept, nearest, strict=True):
            for near in found:
                if (term := terms.get(near.id)) and (
                    option := self._near_option(phrase, term, near.score, embedder.calibration.meant_from, span)
                ):
                    mentions[span].append(option)
        result = []
        for span, options in mentions.items():
            unlike = {(option.column.name, option.folded): option for option in sorted(options, key=lambda option: option.quality)}
            options = [*unlike.values(), *self._narrower(span, list(unlike.values()))]
            best = max(option.quality for option in options)
            close = sorted((option for option in options if option.quality >= best - 0.08), key=lambda option: -option.quality)
            result.append(Mention(*span, "value", best, options=tuple(close[:5])))
        for span, phrase in kept:
            if columns := near_columns(self.names, phrase):
                result.append(Mention(*span, "column", columns[0][1] * 0.95, columns=tuple(columns)))
        return [*result, *self._meant([one for one in kept if lost >= set(range(*one[0]))], embedder)]

    def _meant(self, phrases: Sequence[tuple[tuple[int, int], str]], embedder: Embedder) -> Iterable[Mention]:
        """Row nouns and columns that mean the same as a phrase: "automobiles" where rows are cars, "lifespan" for life expectancy."""
        facts = self.table.facts
        short = [(span, phrase) for span, phrase in phrases if span[1] - span[0] <= 2 and phrase.isascii()]
        if not short:
            return
        columns = facts.columns[:MOST_MEANT_COLUMNS]
        named = self.table.remembered(
            ("meanings", embedder.name), lambda: embedder.embed([*facts.nouns, *(column.key for column in columns)])
        )
        for (span, _), likely in zip(short, embedder.embed([phrase for _, phrase in short]) @ named.T, strict=True):
            nouns, names = likely[: len(facts.nouns)], likely[len(facts.nouns) :]
            if facts.declared and len(nouns) and nouns.max() >= NOUN_FROM:
                yield Mention(*span, "noun", MEANT_QUALITY)
            best = int(names.argmax())
            if names[best] >= COLUMN_FROM:
                yield Mention(*span, "column", MEANT_QUALITY, columns=((columns[best], MEANT_QUALITY),))

    def _bare(self, start: int, end: int) -> str:
        """The phrase as it is searched: its words without articles and auxiliaries between."""
        words = [
            token.word.folded
            for token in self.tokens[start:end]
            if token.content or not self.language.does(token.word.folded, "stop") or end - start == 1
        ]
        return " ".join(words)

    def searched(self, start: int, end: int) -> list[str]:
        """The phrase and, where words carry prefixes, the phrase without them."""
        bare = self._bare(start, end)
        first = self.tokens[start].word
        return [bare, *(bare.replace(first.folded, form, 1) for form in first.bare if len(form) > 2 and not form.isascii())]

    def _near_option(self, phrase: str, term: FoundTerm, score: float, meant_from: float, span: tuple[int, int]) -> Option | None:
        if not same_figures(phrase, term.key):
            return None
        if len(phrase.split()) > 2 * len(term.key.split()) + 1:
            return None
        if _beyond(phrase, term.key):
            return None
        letters = likeness(phrase, term.key)
        tied = any(not token.content for token in self.tokens[span[0] : span[1]])
        known = tied or any(self.table.has_word(token.stem) for token in self.tokens[span[0] : span[1]] if token.content)
        if letters >= NEAR_FROM + (0.08 if len(phrase) < 6 else 0.0) + (0.1 if known else 0.0):
            return self._option(term, span, "near", 0.95 - 0.9 * (1 - letters))
        named = names_place(self.names, term.column)  # a name means nothing but what bears it
        if term.column.kind == "category" and score - letters >= meant_from and not known and not named:
            return self._option(term, span, "meant", min(0.8, 0.3 + 0.5 * (letters + (score - letters) * _MEANT / meant_from)))
        return None


def _beyond(phrase: str, term: str) -> bool:
    """Whether a phrase is the whole term and a word more: that word is no slip of the pen, and has to find its own place."""
    words, inside = term.split(), iter(phrase.split())
    return len(phrase.split()) > len(words) and all(word in inside for word in words)


def finder(
    table: OpenTable, language: Language, text: str, tokens: Sequence[Token], now: datetime, chosen: Sequence[Chosen] = ()
) -> Finder:
    """The finder of a question in a table; the names of its columns are gathered once a table and language."""
    names = table.remembered(("names", language.code), lambda: column_names(table.facts, language, table.column_synonyms()))
    settled = {key(one.phrase): (one.column, fold(one.term)) for one in chosen}
    return Finder(table, language, text, tokens, names, now, settled)
