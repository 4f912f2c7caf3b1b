#!/usr/bin/env python3
"""Makes what a package has beside the binary, out of what the binary says about itself.

    scripts/package/papers.py PETREL FOLDER

    man1/petrel.1, man1/petrel-serve.1, …, man5/petrel.toml.5   man pages
    petrel.toml                                                  a sample with every setting
    completion/petrel, completion/_petrel, completion/petrel.fish
"""

import json
import pathlib
import re
import subprocess
import sys

# "Event loops (one per core) [PETREL_SHARDS]"
_SETTING = re.compile(
    r"^(?P<what>.*?)(?: \((?P<usual>[^()]*)\))?(?: \[(?P<variable>PETREL_[A-Z_]+)\])?$"
)

# A default that can be written as it is.
_PLAIN = re.compile(r"^[\w./:-]+$")

# Where the service keeps its data: the one line of the sample that is not commented out.
_STORE = "/var/lib/petrel"

_EXIT_CODES = (
    ("0", "Done; of serve: it was told to stop, and did so in order."),
    ("1", "The request was right and could not be carried out."),
    ("2", "The command line or a setting is wrong."),
    ("3", "A check was carried out and found something wrong."),
)


def _ask(petrel, *arguments):
    return subprocess.run(
        [petrel, *arguments], capture_output=True, text=True, check=True, timeout=60
    ).stdout


def _roff(text):
    """Text as a man page has it: no line of it is a command, and dashes stay dashes."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in escaped.split("\n"))


def _heading(name, section, version):
    return f'.TH {_roff(name.upper())} {section} "" "petrel {_roff(version)}" "Petrel"\n'


def _synopsis(command):
    words = [f".B {_roff(command['path'])}"]
    if command["commands"]:
        words.append(".I COMMAND")
    if any(not option["isArgument"] for option in command["options"]):
        words.append("[OPTION\\&.\\&.\\&.]")
    for option in command["options"]:
        if option["isArgument"]:
            name = _roff(option["names"][0].upper())
            words.append(f".I {name}" if option["isRequired"] else f"[{name}]")
    return "\n".join(words) + "\n"


def _option(option):
    names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in option["names"])
    if option["isArgument"]:
        names = f"\\fI{_roff(option['names'][0].upper())}\\fR"
    elif option["takesValue"]:
        names += " \\fIVALUE\\fR"
    return f".TP\n{names}\n{_roff(option['help'])}\n"


def _man_page(command, version):
    name = command["path"].replace(" ", "-")
    page = _heading(name, 1, version)
    page += f".SH NAME\n{_roff(name)} \\- {_roff(command['about'])}\n"
    page += ".SH SYNOPSIS\n" + _synopsis(command)
    if command["options"]:
        page += ".SH OPTIONS\n" + "".join(_option(option) for option in command["options"])
    if command["commands"]:
        page += ".SH COMMANDS\n"
        for below in command["commands"]:
            page += f".TP\n\\fB{_roff(below['path'])}\\fR\n{_roff(below['about'])}\n"
    page += ".SH EXIT STATUS\n"
    page += "".join(f".TP\n{code}\n{_roff(meaning)}\n" for code, meaning in _EXIT_CODES)
    also = ["petrel.toml (5)"] if command["path"] == "petrel serve" else []
    if command["path"] != "petrel":
        also.insert(0, "petrel (1)")
    also += [f"{below['path'].replace(' ', '-')} (1)" for below in command["commands"]]
    if also:
        page += ".SH SEE ALSO\n" + ",\n".join(f".BR {_roff(each)}" for each in also) + "\n"
    return page


def _commands(tree):
    yield tree
    for below in tree["commands"]:
        yield from _commands(below)


def settings_of(tree):
    """(name, what it is, its default in words or None) of each setting, in the order of `serve`."""
    serve = next(each for each in tree["commands"] if each["name"] == "serve")
    for option in serve["options"]:
        if option["isSetting"]:
            parts = _SETTING.match(option["help"])
            yield option["names"][0][2:], parts["what"], parts["usual"]


def sample(tree):
    """petrel.toml: every setting with its default, commented out."""
    lines = [
        "# Settings of petrel.service; `man petrel.toml` and `petrel serve --help` explain them.",
        "# What is commented out is the default. After a change: systemctl restart petrel",
        "",
    ]
    for name, what, usual in settings_of(tree):
        is_shown = usual is None or _PLAIN.match(usual)
        lines.append(f"# {what}." if is_shown else f"# {what}: {usual}.")
        if name == "store":
            lines += [f'{name} = "{_STORE}"', ""]
            continue
        plain = usual is not None and _PLAIN.match(usual)
        value = usual if plain and usual.isdigit() else f'"{usual if plain else ""}"'
        lines += [f"#{name} = {value}", ""]
    return "\n".join(lines)


def _settings_page(tree, version):
    page = _heading("petrel.toml", 5, version)
    page += ".SH NAME\npetrel.toml \\- settings of the webhook delivery server\n"
    page += (
        ".SH DESCRIPTION\nA TOML file with one flat table. "
        "A flag of\n.BR petrel\\-serve (1)\nbeats the variable of the environment, "
        "and that beats the file. A list may stand where commas are allowed.\n"
        ".SH SETTINGS\n"
    )
    for name, what, usual in settings_of(tree):
        variable = "PETREL_" + name.upper().replace("-", "_")
        page += f".TP\n\\fB{_roff(name)}\\fR ({_roff(variable)})\n{_roff(what)}."
        page += f" Default: {_roff(usual)}.\n" if usual else "\n"
    page += ".SH FILES\n.I /etc/petrel/petrel.toml\n.SH SEE ALSO\n.BR petrel\\-serve (1)\n"
    return page


def write_papers(petrel, folder):
    tree = json.loads(_ask(petrel, "help", "--json"))
    version = _ask(petrel, "version").split()[1]
    papers = {"petrel.toml": sample(tree), "man5/petrel.toml.5": _settings_page(tree, version)}
    for command in _commands(tree):
        papers[f"man1/{command['path'].replace(' ', '-')}.1"] = _man_page(command, version)
    for shell, name in (("bash", "petrel"), ("zsh", "_petrel"), ("fish", "petrel.fish")):
        papers[f"completion/{name}"] = _ask(petrel, "completion", shell)
    for name, text in papers.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"use: {sys.argv[0]} PETREL FOLDER")
    write_papers(sys.argv[1], sys.argv[2])
