// Steps is what a piece of work may still cost. One step is a few nanoseconds.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>

namespace petrel::schema {

// Reading, comparing or copying so many bytes of a text costs one step.
inline constexpr std::size_t kBytesAStep = 64;

class Steps {
 public:
  explicit Steps(std::int64_t left) : left_(left) {}

  // False once they are used up, and from then on.
  bool take(std::size_t steps) {
    left_ = left_ < 0 ? left_ : left_ - static_cast<std::int64_t>(steps);
    return left_ >= 0;
  }

  void spend_all() { left_ = -1; }
  bool is_spent() const { return left_ < 0; }
  std::int64_t left() const { return left_; }

 private:
  std::int64_t left_;
};

}  // namespace petrel::schema
