// SignedContent is what a signature covers: `id.timestamp.body`.
//
// The timestamp is the text of the header, not a number: what was signed is what was sent.
//
// Thread: any. It borrows its texts and must not outlive them.

#pragma once

#include <array>
#include <string>
#include <string_view>

namespace petrel::signature {

struct SignedContent {
  std::string_view id;
  std::string_view timestamp;
  std::string_view body;  // Any bytes.

  // The pieces in order, dots among them, for an algorithm that can be fed in pieces.
  std::array<std::string_view, 5> parts() const { return {id, ".", timestamp, ".", body}; }

  // A copy in one piece, for an algorithm that reads its input twice.
  std::string joined() const;
};

// Whether `id` can stand in front of the first dot. With a dot of its own, part of the id could
// pass for the timestamp and part of the body for the rest of it, under the same signature.
bool is_signable_id(std::string_view id);

}  // namespace petrel::signature
