// PlainSearch looks for secrets in the bytes of files: as they are, in base64 and in hexadecimal.
//
// Base64 is found wherever it begins within a longer text, because a secret that follows one or two
// other bytes looks different. One pass over the bytes serves any number of secrets.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace petrel::store {

class PlainSearch {
 public:
  // Every form in which the secret could be read.
  static std::vector<std::string> forms_of(std::string_view secret);

  // REQUIRES: it is long enough not to turn up by chance: 16 bytes at least.
  void add(std::string_view secret, std::string_view name);

  // Where one of them is in a file of this folder, or of one in it, in words for people.
  std::optional<std::string> find_in(const std::filesystem::path& folder) const;

  std::size_t size() const { return size_; }

 private:
  struct Form {
    std::string text;
    std::string name;
  };

  const Form* find(std::string_view bytes) const;

  // By their first bytes.
  std::unordered_map<std::uint64_t, std::vector<Form>> forms_;
  std::size_t size_ = 0;
};

}  // namespace petrel::store
