#include "plain_search.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/check.h"

namespace petrel::store {
namespace {

constexpr std::size_t kSecretBytesMin = 16;

using Encode = std::string (*)(std::span<const std::uint8_t>);

std::uint64_t first_bytes(const char* text) {
  std::uint64_t value = 0;
  std::memcpy(&value, text, sizeof value);
  return value;
}

// What base64 makes of it behind so many other bytes, without what depends on its neighbours.
std::string base64_behind(std::size_t others, std::string_view secret, Encode encode) {
  std::vector<std::uint8_t> bytes(others);
  bytes.insert(bytes.end(), secret.begin(), secret.end());
  bytes.resize(bytes.size() / 3 * 3);
  const std::size_t first = others == 0 ? 0 : others + 1;
  return encode(bytes).substr(first);
}

}  // namespace

std::vector<std::string> PlainSearch::forms_of(std::string_view secret) {
  std::vector<std::string> forms = {std::string(secret)};
  for (std::size_t others = 0; others < 3; ++others) {
    forms.push_back(base64_behind(others, secret, to_base64));
    forms.push_back(base64_behind(others, secret, to_base64url));
  }
  std::string hex;
  for (const char c : secret) hex += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
  forms.push_back(hex);
  for (char& c : hex) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  forms.push_back(hex);
  return forms;
}

void PlainSearch::add(std::string_view secret, std::string_view name) {
  CHECK(secret.size() >= kSecretBytesMin);
  ++size_;
  for (std::string& form : forms_of(secret)) {
    std::vector<Form>& same = forms_[first_bytes(form.data())];
    same.push_back({std::move(form), std::string(name)});
  }
}

const PlainSearch::Form* PlainSearch::find(std::string_view bytes) const {
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes.size(); ++i) {
    const auto found = forms_.find(first_bytes(bytes.data() + i));
    if (found == forms_.end()) continue;
    for (const Form& form : found->second) {
      if (bytes.substr(i, form.text.size()) == form.text) return &form;
    }
  }
  return nullptr;
}

std::optional<std::string> PlainSearch::find_in(const std::filesystem::path& folder) const {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (const Form* form = find(bytes)) {
      return fmt::format("{} in {}", form->name, entry.path().filename().string());
    }
  }
  return std::nullopt;
}

}  // namespace petrel::store
