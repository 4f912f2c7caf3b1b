#include "policy/outcome.h"

#include <array>

#include "base/check.h"

namespace petrel::policy {
namespace {

constexpr std::array<std::string_view, 6> kFailureNames = {"dns",     "connect", "tls",
                                                           "timeout", "reset",   "protocol"};
constexpr std::uint16_t kBlockedWay = 90;
constexpr std::uint16_t kOurFaultWay = 91;

}  // namespace

std::string_view to_string(FailureKind kind) {
  return kFailureNames[static_cast<std::size_t>(kind)];
}

Outcome Outcome::answered(int status) {
  CHECK(status >= 100 && status <= 999);
  return {Kind::Answered, static_cast<std::uint16_t>(status)};
}

Outcome Outcome::failed(FailureKind failure) {
  return {Kind::Failed, static_cast<std::uint16_t>(failure)};
}

int Outcome::status() const {
  CHECK(is_answer());
  return code_;
}

FailureKind Outcome::failure() const {
  CHECK(kind_ == Kind::Failed);
  return static_cast<FailureKind>(code_);
}

std::string Outcome::text() const {
  switch (kind_) {
    case Kind::Answered:
      return std::to_string(code_);
    case Kind::Failed:
      return std::string(to_string(failure()));
    case Kind::Blocked:
      return "blocked";
    case Kind::OurFault:
      return "our fault";
  }
  return {};
}

std::uint16_t Outcome::way() const {
  switch (kind_) {
    case Kind::Answered:
      return code_;
    case Kind::Failed:
      return static_cast<std::uint16_t>(code_ + 1);
    case Kind::Blocked:
      return kBlockedWay;
    case Kind::OurFault:
      return kOurFaultWay;
  }
  return kOurFaultWay;
}

Outcome Outcome::from_way(std::uint16_t way) {
  if (way >= 100 && way <= 999) return answered(way);
  if (way >= 1 && way <= kFailureNames.size()) return failed(static_cast<FailureKind>(way - 1));
  return way == kBlockedWay ? blocked() : our_fault();
}

}  // namespace petrel::policy
