#include "signature/signed_content.h"

namespace petrel::signature {

std::string SignedContent::joined() const {
  std::string text;
  text.reserve(id.size() + timestamp.size() + body.size() + 2);
  for (const std::string_view part : parts()) text += part;
  return text;
}

bool is_signable_id(std::string_view id) {
  return !id.empty() && id.find('.') == std::string_view::npos;
}

}  // namespace petrel::signature
