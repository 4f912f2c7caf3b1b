"""A copy of the tree in which mutants are tried: built with the release's own settings."""

import os
import shutil
import subprocess
import time

# What a mutant may make endless is ended.
_TESTS_SECONDS = 120
_SIM_SECONDS_BASE = 300
_SIM_SECONDS_PER_DAY = 5
_BUILD_SECONDS = 3600

COMPILER, TESTS, SIMULATION, SURVIVED = "compiler", "tests", "simulation", "survived"


class Broken(Exception):
    """The tree fails without any mutant."""


class Trial:
    def __init__(self, root, folder, jobs, sim_seeds):
        self._root = root
        self._tree = folder / "tree"
        self._build = folder / "build"
        self._jobs = jobs
        self._sim_seeds = sim_seeds

    def _run(self, command, seconds):
        """Whether it succeeds in time, and what it wrote."""
        try:
            done = subprocess.run(
                command,
                cwd=self._tree,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False, f"not within {seconds} s"
        return done.returncode == 0, done.stdout + done.stderr

    def _builds(self, target):
        return self._run(
            ["ninja", "-C", str(self._build), f"-j{self._jobs}", target], _BUILD_SECONDS
        )

    def _tests(self, room):
        return self._run([str(self._build / f"src/{room}/{room}_test")], _TESTS_SECONDS)

    def _simulation(self):
        return self._run(
            [str(self._build / "tests/sim/petrel_sim"), "--seeds", str(self._sim_seeds)],
            _SIM_SECONDS_BASE + _SIM_SECONDS_PER_DAY * self._sim_seeds,
        )

    def prepare(self, rooms, is_tried=True):
        """Brings the copy up to date and, if `is_tried`, shows that everything passes in it."""
        self._copy()
        configure = ["cmake", "--preset", "release", "-B", str(self._build)]
        steps = [lambda: self._run(configure, _BUILD_SECONDS)]
        for room in rooms:
            steps.append(lambda room=room: self._builds(f"{room}_test"))
            steps.append(lambda room=room: self._tests(room))
        if self._sim_seeds:
            steps.append(lambda: self._builds("petrel_sim_main"))
            steps += [self._simulation] if is_tried else []
        for step in steps:
            is_well, said = step()
            if not is_well:
                raise Broken(said[-3000:])

    def _copy(self):
        """Tracked files as they are now; those that are the same keep their time."""
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=self._root, capture_output=True, text=True, check=True,
        ).stdout.split("\0")  # fmt: skip
        wanted = {name for name in listed if name and (self._root / name).is_file()}
        for old in self._tree.rglob("*"):
            if old.is_file() and str(old.relative_to(self._tree)) not in wanted:
                old.unlink()
        for name in wanted:
            source, target = self._root / name, self._tree / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)

    def fate(self, mutant):
        """Who noticed it, if anyone; the copy is as before afterwards."""
        room = mutant.path.split("/")[1]
        path = self._tree / mutant.path
        original = path.read_text(encoding="utf-8")
        path.write_text(mutant.applied(original), encoding="utf-8")
        try:
            return self._noticed(room)
        finally:
            self._put_back({mutant.path: original})

    def simulated(self, apply):
        """What the simulation says of what `apply` does to the tree.

        `apply` is given the tree and returns the files that it changes, as they were, by path.
        """
        originals = apply(self._tree)
        try:
            is_built, said = self._builds("petrel_sim_main")
            if not is_built:
                raise Broken(said[-3000:])
            return self._simulation()[1]
        finally:
            self._put_back(originals)

    def _put_back(self, originals):
        for name, text in originals.items():
            path = self._tree / name
            path.write_text(text, encoding="utf-8")
            # Later than the object that was made of the mutant, whatever the clock's grain.
            later = time.time() + 1
            os.utime(path, (later, later))

    def _noticed(self, room):
        if not self._builds(f"{room}_test")[0]:
            return COMPILER
        if not self._tests(room)[0]:
            return TESTS
        if not self._sim_seeds:
            return SURVIVED
        if not self._builds("petrel_sim_main")[0]:
            return COMPILER
        return SURVIVED if self._simulation()[0] else SIMULATION
