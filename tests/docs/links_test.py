"""Every relative link in the documentation leads somewhere, and to a heading that is there."""

import pathlib
import sys
import tempfile
import unittest
import urllib.parse

from page import ROOT, Page

sys.path.insert(0, str(ROOT / "tests/system"))
import suite  # noqa: E402  pylint: disable=wrong-import-position

_SKIPPED = {".git", "build", "node_modules", "petrel-data"}
_ELSEWHERE = ("http://", "https://", "mailto:")


def pages(root=ROOT):
    found = root.rglob("*.md")
    return sorted(p for p in found if not _SKIPPED.intersection(p.relative_to(root).parts))


def dead_links(path):
    page = Page(path)
    found = []
    for line, link in page.links():
        if link.startswith(_ELSEWHERE):
            continue
        name, _, fragment = urllib.parse.unquote(link).partition("#")
        target = page.path.parent / name if name else page.path
        if not target.exists():
            found.append(f"{page.name}:{line}: there is no {link}")
        elif fragment and target.suffix == ".md" and fragment not in Page(target).anchors():
            found.append(f"{page.name}:{line}: {name or 'the page'} has no heading #{fragment}")
    return found


class Links(unittest.TestCase):
    def test_every_relative_link_leads_somewhere(self):
        self.assertEqual([link for path in pages() for link in dead_links(path)], [])

    def test_every_page_of_docs_is_in_the_index(self):
        index = Page(ROOT / "docs/README.md")
        names = [link.partition("#")[0] for _, link in index.links()]
        linked = {(index.path.parent / name).resolve() for name in names}
        missing = [path.name for path in (ROOT / "docs").glob("*.md") if path not in linked]
        self.assertEqual([name for name in missing if name != "README.md"], [])

    def test_every_block_for_users_is_marked_as_it_should_be(self):
        marked = [ROOT / "README.md", *pages(ROOT / "docs"), *pages(ROOT / "examples")]
        self.assertEqual([wrong for path in marked for wrong in Page(path).complaints()], [])

    def test_a_dead_link_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "a.md")
            page.write_text(
                "# One `two`: three\n[a](#one-two-three) [b](#four) [c](b.md) `[d](x.md)`\n"
                "```text\n[e](y.md)\n# five\n```\n[f](a.md#five) ![g](z.svg) [h](https://x/y)\n"
            )
            found = [link.partition(": ")[2] for link in dead_links(page)]
        self.assertEqual(
            found,
            [
                "the page has no heading #four",
                "there is no b.md",
                "a.md has no heading #five",
                "there is no z.svg",
            ],
        )


if __name__ == "__main__":
    suite.main()
