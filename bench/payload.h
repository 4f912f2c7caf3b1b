// The payload of a benchmark's message: a JSON object of a given size which begins with the
// moment it was sent and its number.
//
//   {"sent":"0000012345678901234","number":"0000012345","filling":"…"}
//
// JSON allows no zeros in front of a number, so both are strings.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace petrel::bench {

struct PayloadMark {
  std::int64_t sent_at_ns = 0;
  std::int64_t number = 0;
};

// With an empty mark. REQUIRES: bytes >= 100.
std::string make_payload(std::size_t bytes);

// Writes the mark into the payload that begins at `payload`.
void write_mark(char* payload, const PayloadMark& mark);

PayloadMark read_mark(std::string_view payload);

}  // namespace petrel::bench
