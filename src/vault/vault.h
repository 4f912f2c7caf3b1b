// Vault seals what must not lie readable on a disk, and opens it again.
//
//   Vault vault({"the new secret", "the one before it"});
//   sealed = vault.seal("whsec_…", "endpoint ep_1");      with the first key
//   vault.open(sealed, "endpoint ep_1")                   with whichever key sealed it
//
// A key is made of a secret text; several can be given, so that they can be changed: the first one
// seals, the others only open. What is sealed carries the id of its key, which tells nothing about
// it, and is bound to its context: moved to another place, or changed by a single bit, it does not
// open.
//
//   sealed = form, key id, nonce, ciphertext with its tag          XChaCha20-Poly1305
//
// A vault shows no key, and wipes them all when it goes.
//
// Thread: safe. All methods are const.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace petrel::vault {

class Vault {
 public:
  // REQUIRES: there is one secret at least, and none of them is empty.
  explicit Vault(const std::vector<std::string>& secrets);
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;
  ~Vault();

  // Never twice the same bytes, not even for the same text.
  std::string seal(std::string_view plain, std::string_view context) const;

  // Conflict, naming the key's id, if it was sealed with a key that is not here. Corrupt if it was
  // changed, or sealed for another context.
  Result<std::string> open(std::string_view sealed, std::string_view context) const;

  // Whether it was sealed with the key that seals now.
  bool is_current(std::string_view sealed) const;

  // The id of the key that seals now, in hexadecimal: for people.
  std::string current_id() const;

 private:
  static constexpr std::size_t kIdBytes = 8;
  static constexpr std::size_t kKeyBytes = 32;

  using KeyId = std::array<std::uint8_t, kIdBytes>;
  struct Key {
    KeyId id{};
    std::array<std::uint8_t, kKeyBytes> bytes{};
  };

  static Key derive(std::string_view secret);

  std::vector<Key> keys_;
};

// Overwrites a text that held what was sealed, or is going to be.
void wipe(std::string& text);

}  // namespace petrel::vault
