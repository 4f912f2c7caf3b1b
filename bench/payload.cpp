#include "payload.h"

#include <fmt/format.h>

#include "http_text.h"

namespace petrel::bench {
namespace {

constexpr std::size_t kSentAt = std::string_view(R"({"sent":")").size();
constexpr std::size_t kSentDigits = 19;
constexpr std::size_t kNumberAt =
    kSentAt + kSentDigits + std::string_view(R"(","number":")").size();

}  // namespace

std::string make_payload(std::size_t bytes) {
  std::string payload = fmt::format(R"({{"sent":"{:019}","number":"{:010}","filling":")", 0, 0);
  // Not all the same letter: a store that compresses should not win by that.
  std::uint64_t state = 0x9e3779b97f4a7c15U;
  while (payload.size() < bytes - 2) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    payload += static_cast<char>('a' + (state >> 59U) % 26);
  }
  return payload + "\"}";
}

void write_mark(char* payload, const PayloadMark& mark) {
  fmt::format_to(payload + kSentAt, "{:019}", mark.sent_at_ns);
  fmt::format_to(payload + kNumberAt, "{:010}", mark.number);
}

PayloadMark read_mark(std::string_view payload) {
  if (payload.size() < kNumberAt) return {};
  return {leading_number(payload.substr(kSentAt)), leading_number(payload.substr(kNumberAt))};
}

}  // namespace petrel::bench
