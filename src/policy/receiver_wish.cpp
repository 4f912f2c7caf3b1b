#include "policy/receiver_wish.h"

#include "base/text.h"

namespace petrel::policy {

ReceiverWish parse_receiver_wish(std::string_view header) {
  ReceiverWish wish;
  while (!header.empty()) {
    const std::size_t comma = header.find(',');
    const std::string_view word = trim(header.substr(0, comma));
    if (equals_ignoring_case(word, "abort-message")) wish.aborts_message = true;
    if (equals_ignoring_case(word, "disable")) wish.disables_endpoint = true;
    if (comma == std::string_view::npos) break;
    header.remove_prefix(comma + 1);
  }
  return wish;
}

}  // namespace petrel::policy
