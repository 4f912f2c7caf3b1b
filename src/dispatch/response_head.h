// ResponseHead is what the head of a receiver's response says: its status, how its body is framed,
// whether the connection may be kept, and the few headers that we act on.
//
//   "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n"  →  503, Length 2, "7"
//
// A head whose lines are not well-formed is refused whole. One that is well-formed but contradicts
// itself about its body (two lengths, a length that is no number, a length beside chunks) keeps its
// status: then the framing is Unknown, nothing of the body is read, and the connection is not
// used again.
//
// Internal to the dispatch room. It touches no socket; time and memory are linear in the text.
//
// Thread: any. Values.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petrel::dispatch {

// What is said of a response that is none.
inline constexpr std::string_view kNotWellFormed = "the response is not well-formed HTTP/1.1";

struct ResponseHead {
  enum class Framing : std::uint8_t {
    None,      // There is no body.
    Length,    // So many bytes.
    Chunked,   // Until the last chunk.
    UntilEnd,  // Until the connection ends.
    Unknown,   // The head contradicts itself.
  };

  int status = 0;  // 100 … 999 once it was parsed.
  Framing framing = Framing::UntilEnd;
  std::uint64_t length = 0;
  bool keeps_alive = false;

  // How long the receiver keeps an idle connection, if it says so: `Keep-Alive: timeout=5`.
  std::optional<std::chrono::seconds> keep_alive_timeout;

  // The headers of these names, as they came; at most 256 bytes each. Empty if there was none.
  std::string retry_after;
  std::string date;
  std::string webhook_delivery;

  // As new, but with the memory that it has.
  void clear();
};

// Reads a head, up to and with its empty line. Empty, or why it is refused, in plain words.
//
// REQUIRES: every line of `text` ends with "\r\n", the last one is empty, and no other is.
std::string_view parse_response_head(std::string_view text, ResponseHead& head);

// Whether a response may begin with these bytes. Lets what is not HTTP be refused at once.
bool can_begin_response(std::string_view bytes);

}  // namespace petrel::dispatch
