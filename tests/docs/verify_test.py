"""What verifies signatures in README.md and docs/verify.md takes the good ones, refuses the rest,
in every language that is installed here."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from page import ROOT, Page

sys.path.insert(0, str(ROOT / "tests/system"))
import suite  # noqa: E402  pylint: disable=wrong-import-position

_HERE = pathlib.Path(__file__).parent

# The file of a page, the program that runs it, and what calls it with headers and body from stdin.
_LANGUAGES = {
    "javascript": ("verify.mjs", ["node", "call.mjs"]),
    "python": ("verify.py", ["python3", "call.py"]),
    "go": ("verify/verify.go", ["go", "run", "call.go"]),
    "ruby": ("verify.rb", ["ruby", "call.rb"]),
    "php": ("verify.php", ["php", "call.php"]),
}

_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
_BODY = '{"text": "Grüße", "n": 1.0}'.encode()


def _sign(secret, message, timestamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{message}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()


def _cases():
    """(what it is, whether it is good, headers, body)."""
    now = int(time.time())
    other = "whsec_" + base64.b64encode(b"another secret of thirty-two by.").decode()

    def headers(at=now, secret=_SECRET, message="msg_1", **changed):
        made = {
            "webhook-id": message,
            "webhook-timestamp": str(at),
            "webhook-signature": _sign(secret, message, at, _BODY),
        }
        made.update({"webhook-" + name: value for name, value in changed.items()})
        return {name: value for name, value in made.items() if value is not None}

    good = headers()["webhook-signature"]
    return [
        ("good", True, headers(), _BODY),
        ("of the old secret and the new one", True,
         headers(signature=f"{_sign(other, 'msg_1', now, _BODY)} v1a,AAAA {good}"), _BODY),
        ("four minutes old", True, headers(at=now - 240), _BODY),
        ("of another secret", False, headers(secret=other), _BODY),
        ("another body", False, headers(), _BODY.replace(b"1.0", b"1")),
        ("another id", False, headers(id="msg_2"), _BODY),
        ("another timestamp", False, headers(timestamp=str(now - 1)), _BODY),
        ("ten minutes old", False, headers(at=now - 600), _BODY),
        ("ten minutes ahead", False, headers(at=now + 600), _BODY),
        ("no timestamp", False, headers(timestamp=None), _BODY),
        ("a timestamp that is no number", False, headers(timestamp="soon"), _BODY),
        ("no id", False, headers(id=None), _BODY),
        ("no signature", False, headers(signature=None), _BODY),
        ("an empty signature", False, headers(signature=""), _BODY),
        ("a signature of another version", False, headers(signature="v2" + good[2:]), _BODY),
        ("a signature that is cut short", False, headers(signature=good[:-8]), _BODY),
    ]


class Verify(unittest.TestCase):
    maxDiff = None

    def test_what_is_on_both_pages_is_the_same(self):
        readme, page = (
            {b.notes.get("file"): b.text for b in Page(ROOT / name).blocks()}
            for name in ("README.md", "docs/verify.md")
        )
        for name, _ in _LANGUAGES.values():
            if name in readme:
                self.assertEqual(readme[name], page[name])

    def check(self, page, language):
        name, command = _LANGUAGES[language]
        if not shutil.which(command[0]):
            self.skipTest(f"install what has `{command[0]}`; scripts/packages.txt says what")
        block = next(b for b in Page(ROOT / page).blocks() if b.notes.get("file") == name)
        cases = _cases()
        with tempfile.TemporaryDirectory(prefix="petrel-verify-") as folder:
            target = pathlib.Path(folder, name)
            target.parent.mkdir(exist_ok=True)
            target.write_text(block.text)
            shutil.copy(_HERE / "callers" / command[-1], folder)
            if language == "go":
                pathlib.Path(folder, "go.mod").write_text("module docs\n\ngo 1.18\n")
            told = [[headers, base64.b64encode(body).decode()] for _, _, headers, body in cases]
            ran = subprocess.run(
                command,
                cwd=folder,
                input=json.dumps({"secret": _SECRET, "cases": told}),
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
                env={**os.environ, "HOME": folder, "GOCACHE": folder + "/cache", "GOFLAGS": ""},
            )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(
            dict(zip([case[0] for case in cases], json.loads(ran.stdout))),
            {what: is_good for what, is_good, _, _ in cases},
        )


for _page in ("README.md", "docs/verify.md"):
    for _language, (_name, _) in _LANGUAGES.items():
        if any(b.notes.get("file") == _name for b in Page(ROOT / _page).blocks()):
            _test = f"test_{_language}_of_{pathlib.Path(_page).stem.lower()}"
            setattr(Verify, _test, lambda self, p=_page, l=_language: self.check(p, l))


if __name__ == "__main__":
    suite.main()
