// Secrets and public keys: what parses is revealed as a text that parses as the same key, and an
// error about a secret holds no part of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/check.h"
#include "signature/public_key.h"
#include "signature/secret.h"

namespace petrel::signature {
namespace {

constexpr std::size_t kLeakLength = 8;

// What errors say by themselves, from inputs that hold nothing: an input may spell these words.
const std::string& own_words() {
  static const std::string words = [] {
    const std::vector<std::uint8_t> zeros(Secret::kAsymmetricBytes);
    std::string text;
    for (const std::string& empty :
         {std::string(), std::string("whsec_"), std::string("whsec_!"), std::string("whsk_"),
          std::string("whsk_!"), "whsk_" + to_base64(zeros)}) {
      text += Secret::parse(empty).error().text() + "\n";
    }
    return text;
  }();
  return words;
}

bool is_of_base64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '-' || c == '_' || c == '=';
}

// Whether the error repeats a stretch of the secret that is not a word of its own. The prefix is
// no part of the secret.
bool leaks(const std::string& error, std::string_view text) {
  const std::size_t prefix = text.find('_');
  const std::string_view body = prefix < 6 ? text.substr(prefix + 1) : text;
  for (std::size_t i = 0; i + kLeakLength <= error.size(); ++i) {
    const std::string_view stretch = std::string_view(error).substr(i, kLeakLength);
    if (!std::all_of(stretch.begin(), stretch.end(), is_of_base64)) continue;
    if (own_words().find(stretch) != std::string::npos) continue;
    if (body.find(stretch) != std::string_view::npos) return true;
  }
  return false;
}

void check_secret(std::string_view text) {
  const Result<Secret> secret = Secret::parse(text);
  if (!secret.ok()) {
    CHECK(!secret.error().text().empty());
    CHECK(!leaks(secret.error().text(), text));
    return;
  }
  const std::string revealed = secret->reveal();
  CHECK(Secret::parse(revealed).value() == *secret);
  // Only padding may be left out: no two texts otherwise mean the same secret.
  CHECK(text == revealed || text == std::string_view(revealed).substr(0, revealed.find('=')));
  if (const auto shown = secret->public_text()) {
    CHECK(PublicKey::parse(*shown).value() == *secret->public_key());
  }
}

void check_public_key(std::string_view text) {
  const Result<PublicKey> key = PublicKey::parse(text);
  if (!key.ok()) {
    CHECK(!key.error().text().empty());
    return;
  }
  CHECK(PublicKey::parse(key->text()).value() == *key);
}

}  // namespace
}  // namespace petrel::signature

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  petrel::signature::check_secret(text);
  petrel::signature::check_public_key(text);
  return 0;
}
