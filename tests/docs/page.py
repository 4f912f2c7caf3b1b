"""A page of the documentation as a reader meets it: its code blocks, headings and links.

A fenced block says by its info string what it is. HTML comments right above it, which no reader
sees, say the rest:

    <!-- not run: why -->   it is shown only
    <!-- file: name -->     it is written to that file in the page's folder
    <!-- fails -->          the command has to fail
    <!-- last -->           it comes at the end of the page, as cleaning up does

Anywhere on the page, `<!-- continues: other.md -->` runs the blocks of that page first,
`<!-- server -->` starts a server first, and `<!-- no block is run: why -->` runs none at all.
"""

import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]

_FENCE = re.compile(
    r"(?P<notes>(?:^ *<!--(?:(?!-->).)*-->\n+)*)"
    r"^ *(?P<ticks>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^ *(?P=ticks)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"<!--\s*([a-z ]+?)(?:: (.*?))?\s*-->", re.DOTALL)
_NOTES = {"not run", "file", "fails", "last"}
_PAGE_NOTES = {"continues", "no block is run", "server"}
_HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$", re.MULTILINE)
_LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)|<(?:a|img)\b[^>]*\b(?:href|src)=\"([^\"]+)\"")


class Block:
    """One fenced block. `notes` are the comments above it, by name."""

    def __init__(self, language, text, line, notes):
        self.language = language
        self.text = text
        self.line = line
        self.notes = notes


class Page:
    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        self.text = self.path.read_text(encoding="utf-8")

    @property
    def name(self):
        is_ours = self.path.is_relative_to(ROOT)
        return str(self.path.relative_to(ROOT) if is_ours else self.path)

    def note(self, name):
        """What a comment says of the whole page, or None."""
        return dict(_NOTE.findall(self.text)).get(name)

    def blocks(self):
        found = []
        for match in _FENCE.finditer(self.text):
            notes = dict(_NOTE.findall(match["notes"]))
            line = self.text.count("\n", 0, match.start("ticks")) + 1
            info = match["info"].split()
            text = textwrap.dedent(match["text"])
            found.append(Block(info[0] if info else "", text, line, notes))
        return found

    def complaints(self):
        """What is wrong with how blocks are marked."""
        wrong = []
        for block in self.blocks():
            where = f"{self.name}:{block.line}"
            for name in set(block.notes) - _NOTES - _PAGE_NOTES:
                wrong.append(f"{where}: there is no note `{name}`")
            if not block.language:
                wrong.append(f"{where}: a block without a language; say `text` for plain text")
            if "not run" in block.notes and not block.notes["not run"]:
                wrong.append(f"{where}: not run, without a reason")
        return wrong

    def _prose(self):
        """The text without code, in which nothing is a heading or a link."""
        text = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), self.text)
        return re.sub(r"(`+)[^`\n]+\1", lambda match: re.sub(r"[\[\]()<>]", " ", match[0]), text)

    def anchors(self):
        """The fragments that headings of this page have, as GitHub makes them."""
        found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", self.text))
        counts = {}
        for _, title in _HEADING.findall(_FENCE.sub("", self.text)):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
            slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            number = counts.get(slug, 0)
            counts[slug] = number + 1
            found.add(f"{slug}-{number}" if number else slug)
        return found

    def links(self):
        """(line, target) of every link."""
        text = self._prose()
        return [
            (text.count("\n", 0, match.start()) + 1, match[1] or match[2])
            for match in _LINK.finditer(text)
        ]
