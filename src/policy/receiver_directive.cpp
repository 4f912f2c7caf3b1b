#include "policy/receiver_directive.h"

#include "base/text.h"

namespace petrel::policy {

ReceiverDirective parse_receiver_directive(std::string_view header) {
  ReceiverDirective directive;
  while (!header.empty()) {
    const std::size_t comma = header.find(',');
    const std::string_view word = trim(header.substr(0, comma));
    if (equals_ignoring_case(word, "abort-message")) directive.aborts_message = true;
    if (equals_ignoring_case(word, "disable")) directive.disables_endpoint = true;
    if (comma == std::string_view::npos) break;
    header.remove_prefix(comma + 1);
  }
  return directive;
}

}  // namespace petrel::policy
