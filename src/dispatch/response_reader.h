// ResponseReader takes the bytes that a receiver sends and makes an answer of them, within limits.
//
//   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"  →  Done, 200, "ok", reusable
//
// Interim answers (1xx) are passed over, ten at most. The beginning of the body is kept; of a body
// that goes on beyond what we read the rest is given up (CutOff): the status stands, but the
// connection cannot be used again. Headers that are too long and whatever is not HTTP are
// Malformed. It touches no socket.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace petrel::dispatch {

class ResponseReader {
 public:
  static constexpr std::size_t kHeaderBytesMax = 32 * 1024;
  static constexpr std::size_t kBodyReadMax = 64 * 1024;
  static constexpr int kInterimMax = 10;

  enum class Progress { NeedMore, Done, CutOff, Malformed };

  ResponseReader();
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  // Forgets everything, for the next answer.
  void reset();

  // REQUIRES: the last progress was NeedMore, or there was none.
  Progress feed(std::string_view bytes);

  // The stream has ended: Done if that is how the body ends, else Malformed.
  //
  // REQUIRES: has_begun(), and the last progress was NeedMore.
  Progress end();

  // Whether a single byte has come.
  bool has_begun() const;

  // Whether the header of the real answer is complete, and so the following mean something.
  bool has_header() const;
  int status() const;
  const std::string& retry_after() const;
  const std::string& date() const;
  const std::string& webhook_delivery() const;
  std::string take_body();

  // Whether the next request may use the connection. Meaningful when Done.
  bool is_reusable() const;

  // In plain words, when Malformed.
  std::string_view why() const;

 private:
  class Parser;
  struct State;

  Progress parse(std::string_view bytes);
  Progress finish(std::string_view beyond);
  Progress refuse(std::string_view why);
  Progress put(std::string_view& bytes);

  std::unique_ptr<State> state_;
};

}  // namespace petrel::dispatch
