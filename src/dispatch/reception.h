// Reception is the receiving half of an attempt without its socket: it is told what happened to the
// connection and says what has to be done next. One attempt is one request:
//
//   the connection broke …     on a new connection     on one that was used before
//   before all was written     reset                   the request goes out over a new one
//   after it, no byte came     reset                   reset, but of a stale connection
//   after the first byte       reset                   reset
//
// A complete 2xx header is a success, whatever becomes of its body: it never fails after it.
//
// Internal to the dispatch room.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <string_view>

#include "dispatch/failure.h"
#include "dispatch/response_reader.h"

namespace petrel::dispatch {

class Reception {
 public:
  enum class Next : std::uint8_t {
    Wait,            // For more.
    DialAnew,        // And send the request over that connection.
    Answer,          // There is a response: the reader has it.
    AnswerAndReuse,  // The same, and the connection may carry another request.
    Fail,            // See failure().
  };

  // What is known of the request and its connection at a moment.
  struct Standing {
    bool is_reused = false;   // The connection has carried a request before this one.
    bool is_written = false;  // The request is written whole.
  };

  // REQUIRES: the reader is as new, and outlives it.
  explicit Reception(ResponseReader& reader) : reader_(reader) {}

  Next on_bytes(std::string_view bytes, Standing standing);

  // The receiver has closed its half.
  Next on_end(Standing standing);

  // The connection broke; 0 is a close, else an errno.
  Next on_broken(int error, Standing standing);

  // It ends for another reason, as the deadline.
  Next on_failure(Failure failure);

  const Failure& failure() const { return failure_; }

  // Whether the failure is the close of a connection that was used before, without a response.
  bool is_stale() const { return is_stale_; }

 private:
  ResponseReader& reader_;
  Failure failure_ = our_fault({});
  bool is_stale_ = false;
};

}  // namespace petrel::dispatch
