"""The mutator changes what it should, where it should, and nothing else."""

import unittest

import mutants


def told(line, before=""):
    """What becomes of a line, by each of its mutants."""
    source = before + "\n" + line
    return [
        each.applied(source).split("\n")[1].strip()
        for each in mutants.mutants_of("a.cpp", source)
        if each.line == 2
    ]


class Flips(unittest.TestCase):
    def test_each_comparison_becomes_its_neighbour_or_its_opposite(self):
        for before, after in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!=")):
            self.assertEqual(told(f"return a {before} b;"), [f"return a {after} b;"])
            self.assertEqual(told(f"return a {after} b;"), [f"return a {before} b;"])

    def test_logic_and_truth(self):
        self.assertEqual(told("return a && b;"), ["return a || b;"])
        self.assertEqual(told("return true;"), ["return false;"])
        self.assertEqual(told("return !a;"), ["return a;"])

    def test_angles_arrows_and_references_are_no_comparisons(self):
        for line in (
            "const std::vector<int> a = b->c();",
            "template <typename T>",
            "void f(T&& a);",
            "out << a;",
            "friend auto operator<=>(const A&, const A&) = default;",
        ):
            self.assertEqual(told(line), [], line)

    def test_comments_and_texts_are_left_alone(self):
        self.assertEqual(told('return "a < 1 && true";  // b == 2'), [])


class Shifts(unittest.TestCase):
    def test_a_number_grows_by_one(self):
        self.assertEqual(told("return seconds(15);"), ["return seconds(16);"])
        self.assertEqual(told("return 1'000;"), ["return 1001;"])

    def test_names_and_fractions_are_no_numbers(self):
        self.assertEqual(told("return a1 + std::int64_t{};"), [])
        self.assertEqual(told("return 0.5;"), [])


class Drops(unittest.TestCase):
    def test_a_statement_of_its_own_goes(self):
        for line in ("a_ = b;", "++a_;", "a.clear();", "a_->b(c);", "if (a) return;", "a += b;"):
            self.assertIn("", told("  " + line, before="{"), line)

    def test_declarations_and_returns_stay(self):
        for line in (
            "return a(b);",
            "const int a = b;",
            "Duration a = b;",
            "std::optional<int> a(b);",
            "auto a = f();",
            "CHECK(a);",
            "void f(int a);",
        ):
            self.assertNotIn("", told("  " + line, before="{"), line)

    def test_the_rest_of_a_statement_is_none(self):
        self.assertNotIn("", told("    f(a);", before="  const int b ="))


class Choice(unittest.TestCase):
    SOURCE = "{\n  a_ = 1;\n  b_ = c < 2;\n  d_ = 3;\n}\n"

    def test_the_same_seed_is_the_same_sample_and_each_kind_has_its_turn(self):
        every = mutants.mutants_of("a.cpp", self.SOURCE)
        chosen = mutants.sample(every, 3, seed=7)
        self.assertEqual(chosen, mutants.sample(every, 3, seed=7))
        self.assertEqual(sorted(each.kind for each in chosen), ["drop", "flip", "shift"])
        self.assertEqual(len(mutants.sample(every, 1000, seed=7)), len(every))

    def test_places_choose_lines(self):
        every = mutants.mutants_of("a.cpp", self.SOURCE)
        self.assertEqual({m.line for m in mutants.within(every, ["a.cpp:2-3"])}, {2, 3})
        self.assertEqual({m.line for m in mutants.within(every, ["a.cpp:4"])}, {4})
        self.assertEqual(mutants.within(every, ["b.cpp:4"]), [])
        self.assertEqual(mutants.within(every, []), every)

    def test_a_mutant_says_where_it_is_and_what_it_does(self):
        flip = next(m for m in mutants.mutants_of("a.cpp", self.SOURCE) if m.kind == "flip")
        self.assertEqual(flip.told(self.SOURCE), "a.cpp:3: b_ = c < 2; → b_ = c <= 2;")


if __name__ == "__main__":
    unittest.main()
