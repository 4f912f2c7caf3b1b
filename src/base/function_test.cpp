#include "base/function.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace petrel {
namespace {

// Counts how many of its kind are alive.
class Counted {
 public:
  explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
  Counted(Counted&& other) noexcept : alive_(other.alive_) { ++*alive_; }
  Counted& operator=(Counted&&) = delete;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive_; }

 private:
  int* alive_;
};

int twice(int n) { return 2 * n; }

TEST(Function, IsEmptyUntilItHoldsSomething) {
  EXPECT_FALSE(Function<void()>());
  EXPECT_FALSE(Function<void()>(nullptr));
  EXPECT_TRUE(Function<void()>([] {}));
}

TEST(Function, IsEmptyIfWhatItIsMadeOfIs) {
  using Pointer = int (*)(int);
  EXPECT_FALSE(Function<int(int)>(Pointer(nullptr)));
  EXPECT_FALSE(Function<int(int)>(std::function<int(int)>()));
  EXPECT_FALSE(Function<long(int)>(Function<int(int)>()));
  EXPECT_TRUE(Function<int(int)>(twice));
  EXPECT_TRUE(Function<int(int)>(std::function<int(int)>(twice)));
}

TEST(Function, CallsWithArgumentsAndAnswers) {
  const Function<int(int)> doubled = twice;
  EXPECT_EQ(doubled(21), 42);

  std::string seen;
  const Function<void(std::string)> note = [&seen](std::string text) { seen = std::move(text); };
  note("a text that is moved all the way");
  EXPECT_EQ(seen, "a text that is moved all the way");

  const Function<void(int&)> increment = [](int& n) { ++n; };
  int n = 1;
  increment(n);
  EXPECT_EQ(n, 2);
}

TEST(Function, HoldsWhatCannotBeCopied) {
  const Function<int(std::unique_ptr<int>)> sum =
      [kept = std::make_unique<int>(40)](const std::unique_ptr<int>& given) {
        return *kept + *given;
      };
  EXPECT_EQ(sum(std::make_unique<int>(2)), 42);
}

TEST(Function, KeepsWhatItsCallableChanges) {
  const Function<int()> next = [n = 0]() mutable { return ++n; };
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 2);
}

// Once for what is held in place, and once for what is allocated.
template <std::size_t kBytes>
void expect_one_owner() {
  int alive = 0;
  {
    std::array<char, kBytes> ballast{};
    ballast.back() = 'x';
    Function<char()> first = [ballast, counted = Counted(alive)] { return ballast.back(); };
    EXPECT_EQ(alive, 1);
    Function<char()> second = std::move(first);
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the question.
    EXPECT_EQ(second(), 'x');

    Function<char()> third = [counted = Counted(alive)] { return 'y'; };
    EXPECT_EQ(alive, 2);
    third = std::move(second);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(third(), 'x');
    third = nullptr;
    EXPECT_EQ(alive, 0);
    third = [ballast, counted = Counted(alive)] { return ballast.back(); };
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Function, HasOneOwnerOfWhatItHoldsInPlace) { expect_one_owner<8>(); }
TEST(Function, HasOneOwnerOfWhatItAllocates) { expect_one_owner<200>(); }

TEST(FunctionDeathTest, StopsTheProcessIfItIsCalledEmpty) {
  const Function<void()> empty;
  EXPECT_DEATH(empty(), "verbs_ != nullptr");
}

}  // namespace
}  // namespace petrel
