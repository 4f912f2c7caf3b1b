// ReceiverDirective is what a receiver asks for with the header `webhook-delivery` of an answer.
//
//   webhook-delivery: abort-message    do not try this delivery again
//   webhook-delivery: disable          send nothing more here until a person resumes it
//
// Thread: any. A value.

#pragma once

#include <string_view>

namespace petrel::policy {

struct ReceiverDirective {
  bool aborts_message = false;
  bool disables_endpoint = false;

  friend bool operator==(const ReceiverDirective&, const ReceiverDirective&) = default;
};

// The header's value is a list, separated by commas; case and space around its words do not matter,
// and words that mean nothing to us are passed over.
ReceiverDirective parse_receiver_directive(std::string_view header);

}  // namespace petrel::policy
