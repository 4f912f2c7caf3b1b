#include "signature/verify.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/base64.h"
#include "base/duration_text.h"
#include "base/text.h"
#include "signature/hmac_key.h"
#include "signature/signed_content.h"

namespace petrel::signature {
namespace {

constexpr std::string_view kId = "webhook-id";
constexpr std::string_view kTimestamp = "webhook-timestamp";
constexpr std::string_view kSignature = "webhook-signature";

// The end of the year 9999. A later timestamp means the same, and could not be counted in
// microseconds.
constexpr std::int64_t kUnixSecondsMax = 253'402'300'799;

// Base64 of 64 bytes, padding and all.
constexpr std::size_t kEd25519TextSize = 88;

struct Candidate {
  std::string_view version;
  std::string_view text;
};

std::vector<Candidate> candidates_in(std::string_view header) {
  std::vector<Candidate> candidates;
  while (!header.empty() && candidates.size() < kSignaturesMax) {
    const std::string_view entry = header.substr(0, header.find(' '));
    header.remove_prefix(std::min(header.size(), entry.size() + 1));
    if (entry.empty()) continue;
    const std::size_t comma = entry.find(',');
    if (comma == std::string_view::npos) {
      candidates.push_back({entry, {}});
    } else {
      candidates.push_back({entry.substr(0, comma), entry.substr(comma + 1)});
    }
  }
  return candidates;
}

bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool matches(const Secret& secret, const std::vector<Candidate>& candidates,
             const SignedContent& content) {
  // Texts are compared, not the bytes they stand for: only one text stands for a tag.
  const std::string expected = to_base64(HmacKey(secret.bytes()).tag(content.parts()));
  bool is_match = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.version == "v1") is_match = is_same(candidate.text, expected) || is_match;
  }
  return is_match;
}

bool matches(const PublicKey& key, const std::vector<Candidate>& candidates,
             const SignedContent& content) {
  const std::string message = content.joined();
  bool is_match = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.version != "v1a" || candidate.text.size() != kEd25519TextSize) continue;
    const auto signature = from_base64(candidate.text);
    if (signature) is_match = key.accepts(*signature, message) || is_match;
  }
  return is_match;
}

bool matches(const VerificationKey& key, const std::vector<Candidate>& candidates,
             const SignedContent& content) {
  if (const auto* public_key = std::get_if<PublicKey>(&key)) {
    return matches(*public_key, candidates, content);
  }
  const Secret& secret = *std::get_if<Secret>(&key);
  if (const auto public_half = secret.public_key()) {
    return matches(*public_half, candidates, content);
  }
  return matches(secret, candidates, content);
}

std::optional<Error> fault_of_form(const SignatureHeaders& headers) {
  if (headers.id.empty()) return invalid(kId, "is missing");
  if (headers.timestamp.empty()) return invalid(kTimestamp, "is missing");
  if (headers.signature.empty()) return invalid(kSignature, "is missing");
  if (!is_signable_id(headers.id)) return invalid(kId, "must not contain a '.'");
  return std::nullopt;
}

std::optional<Error> fault_of_time(std::string_view timestamp, WallTime now, Duration tolerance) {
  const auto seconds = parse_digits(timestamp);
  if (!seconds) {
    return invalid(kTimestamp, fmt::format("{} is not a whole number of seconds since 1970",
                                           in_quotes(timestamp)));
  }
  const WallTime sent = wall_from_unix_seconds(std::min(*seconds, kUnixSecondsMax));
  const Duration age = wall_from_unix_seconds(unix_seconds(now)) - sent;
  if (age > tolerance) {
    return invalid(kTimestamp, fmt::format("is too old: {} before now, {} allowed", to_words(age),
                                           to_words(tolerance)));
  }
  if (age < -tolerance) {
    return invalid(kTimestamp, fmt::format("is too new: {} after now, {} allowed", to_words(-age),
                                           to_words(tolerance)));
  }
  return std::nullopt;
}

}  // namespace

Status verify(std::span<const VerificationKey> keys, const SignatureHeaders& headers,
              std::string_view body, WallTime now, Duration tolerance) {
  if (auto fault = fault_of_form(headers)) return *fault;
  if (auto fault = fault_of_time(headers.timestamp, now, tolerance)) return *fault;

  const std::vector<Candidate> candidates = candidates_in(headers.signature);
  const SignedContent content{headers.id, headers.timestamp, body};
  bool is_match = false;
  for (const VerificationKey& key : keys) is_match = matches(key, candidates, content) || is_match;
  if (!is_match) return invalid(kSignature, "no signature matches");
  return Done{};
}

}  // namespace petrel::signature
