#!/usr/bin/env python3
"""Runs every block of a page that can run, in the order of the page: run_page.py docs/replay.md

`sh` goes through one bash, JSON and TOML have to be well-formed, and a block with a `file:` note is
written to that file. A block in any other language has to have a note or be `text`.
"""

import json
import pathlib
import sys
import tempfile
import tomllib

from page import ROOT, Page
from shell import Shell

_SERVER = """
petrel serve --listen 127.0.0.1:8071 --store ./petrel-data --allow-subnets 127.0.0.0/8 &
until curl --silent --fail http://127.0.0.1:8071/api/v1/health/ping; do sleep 0.1; done
"""


def _write(shell, name, text):
    path = shell.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(shell.adapted(text), encoding="utf-8")


def _is_parsed(block):
    parsers = {"json": json.loads, "toml": tomllib.loads}
    if block.language not in parsers:
        return False
    parsers[block.language](block.text)
    return True


def run_block(shell, block):
    if "not run" in block.notes or block.language == "text":
        return
    if "file" in block.notes:
        _write(shell, block.notes["file"], block.text)
    elif block.language == "sh":
        shell.paste(block.text, fails="fails" in block.notes)
    elif not _is_parsed(block):
        raise AssertionError(f"nothing runs `{block.language}`; give it a note")


def _run(shell, page, with_last):
    if page.note("server") is not None:
        shell.paste(_SERVER)
        # A response that says no is a failure of the command, too.
        (shell.folder / ".curlrc").write_text("fail-with-body\n")
    before = page.note("continues")
    if before:
        _run(shell, Page(page.path.parent / before), with_last=False)
    blocks = sorted(page.blocks(), key=lambda block: "last" in block.notes)
    for block in blocks if with_last else [b for b in blocks if "last" not in b.notes]:
        try:
            run_block(shell, block)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"{page.name}:{block.line}: {error}") from error


def run(path):
    page = Page(path)
    if page.note("no block is run") is not None:
        return
    with tempfile.TemporaryDirectory(prefix="petrel-docs-") as folder:
        shell = Shell(folder)
        # What pages refer to as if in a checkout.
        for name in ("docs/images", "examples"):
            (pathlib.Path(folder) / name).mkdir(parents=True)
        for source in (ROOT / "examples").rglob("*"):
            target = pathlib.Path(folder) / source.relative_to(ROOT)
            if source.is_dir():
                target.mkdir(exist_ok=True)
            else:
                target.symlink_to(source)
        try:
            _run(shell, page, with_last=True)
        finally:
            shell.close()


if __name__ == "__main__":
    try:
        run(sys.argv[1])
    except AssertionError as wrong:
        sys.exit(str(wrong))
