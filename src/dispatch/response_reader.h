// ResponseReader takes the bytes that a receiver sends and makes a response of them, within limits.
//
//   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"  →  Done, 200, "ok", reusable
//
// Interim responses (1xx) are passed over, bounded together: ten of them, and 32 KiB. They take
// nothing from the limits of the response itself. The beginning of the body is kept; of a body that
// goes on beyond what we read, or of which the head does not say how long it is, the rest is given
// up (CutOff): the status stands, but the connection cannot be used again. Heads that are too long
// and whatever is not HTTP are Malformed.
//
// Nothing that a receiver sends can make it stop the process, and however the bytes are cut, the
// same comes out. Time is linear in the bytes fed. It touches no socket.
//
// Thread: confined.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dispatch/chunk_scanner.h"
#include "dispatch/response_head.h"
#include "model/attempt.h"

namespace petrel::dispatch {

class ResponseReader {
 public:
  static constexpr std::size_t kHeaderBytesMax = 32 * 1024;
  static constexpr std::size_t kBodyReadMax = 64 * 1024;
  static constexpr int kInterimMax = 10;
  static constexpr std::size_t kInterimBytesMax = 32 * 1024;

  // Chunks may be tiny and have long extensions; this bounds what a body may cost with all of it.
  static constexpr std::size_t kRawBodyMax = 2 * kBodyReadMax;

  enum class Progress { NeedMore, Done, CutOff, Malformed };

  // Forgets everything, for the next response.
  void reset();

  // Once it is something else than NeedMore, it stays that.
  Progress feed(std::string_view bytes);

  // The stream has ended: Done if that is how the body ends, else Malformed, unless it was Done or
  // CutOff before.
  Progress end();

  // Whether a single byte has come.
  bool has_begun() const { return has_begun_; }

  // Whether the head of the response itself is complete, and so the following mean something.
  bool has_header() const { return has_header_; }

  // 0 while there is no header.
  int status() const { return has_header_ ? head_.status : 0; }
  const std::string& retry_after() const { return head_.retry_after; }
  const std::string& date() const { return head_.date; }
  const std::string& webhook_delivery() const { return head_.webhook_delivery; }
  std::optional<std::chrono::seconds> keep_alive_timeout() const {
    return head_.keep_alive_timeout;
  }
  std::string take_body();

  // Memory that it has for what it keeps.
  std::size_t bytes_held() const { return pending_.capacity() + body_.capacity(); }

  // What of the body has not come yet is read, and not kept.
  void keep_no_more() { kept_max_ = body_.size(); }

  // Whether the next request may use the connection. False unless Done.
  bool is_reusable() const { return is_reusable_; }

  // In plain words, when Malformed.
  std::string_view why() const { return why_; }

 private:
  // How far the end of a head has been looked for.
  struct HeadSearch {
    std::size_t looked_to = 0;
    std::size_t line_start = 0;
    bool is_torn = false;  // A line ended without its return.

    std::size_t find_end(std::string_view text);
  };

  Progress take_heads(std::string_view& bytes);
  Progress take_head(std::string_view head);
  Progress take_body_part(std::string_view& bytes);
  Progress take_sized(std::string_view& bytes);
  Progress take_chunks(std::string_view& bytes);
  bool keep(std::string_view body);
  Progress refuse(std::string_view why);

  Progress progress_ = Progress::NeedMore;
  bool has_begun_ = false;
  bool has_header_ = false;
  bool is_reusable_ = false;
  int interims_ = 0;
  std::size_t interim_bytes_ = 0;

  std::string pending_;  // Of a head that is not complete; at most kHeaderBytesMax of it.
  HeadSearch search_;

  ResponseHead head_;
  ChunkScanner chunks_;
  std::uint64_t body_left_ = 0;     // Of a body with a length.
  std::size_t body_bytes_ = 0;      // That have come.
  std::size_t raw_body_bytes_ = 0;  // With the wrapping of chunks.
  std::string body_;
  std::size_t kept_max_ = model::kResponseKeptBytes;
  std::string_view why_;
};

}  // namespace petrel::dispatch
