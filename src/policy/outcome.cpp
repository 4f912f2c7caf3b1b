#include "policy/outcome.h"

#include <array>

#include "base/check.h"

namespace petrel::policy {
namespace {

constexpr std::array<std::string_view, 6> kFailureNames = {"dns",     "connect", "tls",
                                                           "timeout", "reset",   "protocol"};
constexpr std::uint16_t kBlockedCode = 90;
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

std::uint16_t Outcome::code() const {
  switch (kind_) {
    case Kind::Answered:
      return code_;
    case Kind::Failed:
      return static_cast<std::uint16_t>(code_ + 1);
    case Kind::Blocked:
      return kBlockedCode;
    case Kind::OurFault:
      return kOurFaultWay;
  }
  return kOurFaultWay;
}

Outcome Outcome::from_code(std::uint16_t code) {
  if (code >= 100 && code <= 999) return answered(code);
  if (code >= 1 && code <= kFailureNames.size()) return failed(static_cast<FailureKind>(code - 1));
  return code == kBlockedCode ? blocked() : our_fault();
}

}  // namespace petrel::policy
