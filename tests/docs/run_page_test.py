"""A page that does not do what it says is found out, and one that does is not."""

import pathlib
import sys
import tempfile
import unittest

import run_page
from page import ROOT

sys.path.insert(0, str(ROOT / "tests/system"))
import suite  # noqa: E402  pylint: disable=wrong-import-position


def block(language, text, *notes):
    return "".join(f"<!-- {note} -->\n" for note in notes) + f"```{language}\n{text}\n```\n"


class RunPage(unittest.TestCase):
    def run_page(self, *blocks, **others):
        with tempfile.TemporaryDirectory(prefix="petrel-page-") as folder:
            for name, text in others.items():
                pathlib.Path(folder, f"{name}.md").write_text(text)
            page = pathlib.Path(folder, "page.md")
            page.write_text("# A page\n\n" + "\n".join(blocks))
            run_page.run(page)

    def fails(self, line, what, *blocks, **others):
        with self.assertRaisesRegex(AssertionError, rf"(?s)page\.md:{line}: .*{what}"):
            self.run_page(*blocks, **others)

    def test_a_page_that_is_right_passes(self):
        self.run_page(
            block("sh", "test -z \"$LAST\"\ncat a.txt | grep -q 8071 && exit 1\nx=1", "last"),
            block("text", "anything"),
            block("json", '{"a": 1}'),
            block("toml", 'a = "b"'),
            block("text", "8071", "file: a.txt"),
            block("sh", "false", "fails"),
            block("sh", "false", "not run: it would fail"),
            "- in a list\n\n   ```sh\n   if true; then\n     x=2\n   fi\n   ```\n",
        )

    def test_a_command_that_fails_is_named_by_its_line(self):
        self.fails(3, "false", block("sh", "false\ntrue"))
        self.fails(7, "false", block("sh", "true"), block("sh", "true; false"))
        self.fails(3, "no end of block", block("sh", "exit 7"))

    def test_a_command_that_should_fail_and_does_not_is_named(self):
        self.fails(4, "succeeded", block("sh", "true", "fails"))

    def test_what_nothing_runs_is_named(self):
        self.fails(3, "nothing runs `rust`", block("rust", "fn main() {}"))
        self.fails(3, "Expecting", block("json", "{,}"))
        self.fails(3, "Invalid", block("toml", "= 1"))

    def test_a_page_that_continues_another_one_runs_that_first_but_for_its_end(self):
        other = block("sh", "X=1") + block("sh", "X=2", "last")
        self.run_page("<!-- continues: other.md -->\n", block("sh", "[ $X = 1 ]"), other=other)
        wrong = block("sh", "[ $X = 2 ]")
        self.fails(5, "X = 2", "<!-- continues: other.md -->\n", wrong, other=other)

    def test_ports_are_others_than_those_of_the_page(self):
        self.fails(3, "", block("sh", '[ "$(echo 80)71" = "$(echo 8071)" ]'))


if __name__ == "__main__":
    suite.main()
