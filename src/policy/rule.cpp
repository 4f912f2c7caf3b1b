#include "policy/rule.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel::policy {
namespace {

constexpr std::array<std::string_view, 4> kActionNames = {"success", "retry", "fail", "pause"};

constexpr std::array<FailureKind, 6> kFailures = {FailureKind::Dns,   FailureKind::Connect,
                                                  FailureKind::Tls,   FailureKind::Timeout,
                                                  FailureKind::Reset, FailureKind::Protocol};

}  // namespace

std::string_view to_string(Action action) { return kActionNames[static_cast<std::size_t>(action)]; }

Result<Action> parse_action(std::string_view text) {
  for (std::size_t i = 0; i < kActionNames.size(); ++i) {
    if (text == kActionNames[i]) return static_cast<Action>(i);
  }
  return invalid("", fmt::format("{} is not one of success, retry, fail, pause", in_quotes(text)));
}

Result<Selector> Selector::parse(std::string_view text) {
  for (const FailureKind kind : kFailures) {
    if (text == to_string(kind)) return failure(kind);
  }
  if (text.size() == 3 && text.front() >= '1' && text.front() <= '9') {
    if (text.substr(1) == "xx") return Selector(Kind::Class, text.front() - '0');
    if (const auto code = parse_digits(text)) return status(static_cast<int>(*code));
  }
  return invalid("", fmt::format("{} is neither a status (404), nor a class of them (5xx), nor one "
                                 "of dns, connect, tls, timeout, reset, protocol",
                                 in_quotes(text)));
}

bool Selector::matches(const Outcome& outcome) const {
  switch (kind_) {
    case Kind::Status:
      return outcome.is_status(code_);
    case Kind::Class:
      return outcome.is_answer() && outcome.status() / 100 == code_;
    case Kind::Failure:
      return outcome == Outcome::failed(static_cast<FailureKind>(code_));
  }
  return false;
}

std::string Selector::text() const {
  switch (kind_) {
    case Kind::Status:
      return std::to_string(code_);
    case Kind::Class:
      return fmt::format("{}xx", code_);
    case Kind::Failure:
      return std::string(to_string(static_cast<FailureKind>(code_)));
  }
  return {};
}

}  // namespace petrel::policy
