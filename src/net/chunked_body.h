// ChunkedBody puts a body together that comes in chunks, each after its size:
//
//   5␍␊hello␍␊1␍␊!␍␊0␍␊␍␊   →  hello!
//
// What may stand beside the chunks (extensions, and headers after the last one) is passed over:
// there is no use for it here, and a header that comes late must not pass for one that was there
// when the request was judged. It is bounded all the same.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_head.h"

namespace petrel::net {

class ChunkedBody {
 public:
  // What may stand beside one chunk (its size and extensions), or after the last (headers).
  static constexpr std::size_t kBesidesMax = 4 * 1024;

  explicit ChunkedBody(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Takes what belongs to the body from the front of `input` and gives its size. Less than all of
  // it means that the body is done, or that it is refused.
  std::size_t take(std::string_view input);

  bool is_done() const { return state_ == State::Done; }
  const std::optional<HttpRefusal>& refusal() const { return refusal_; }

  std::string& text() { return text_; }
  const std::string& text() const { return text_; }

 private:
  enum class State {
    SizeFirst,  // Before the first digit of a size.
    Size,
    Extension,
    SizeEnd,  // Between the CR and the LF after a size.
    Data,
    DataReturn,  // Before the CR after a chunk.
    DataEnd,
    Trailer,  // At the beginning of a line after the last chunk.
    TrailerLine,
    TrailerLineEnd,
    LastEnd,
    Done,
  };

  void take_besides(char c);
  void take_size(char c);
  void expect(char c, char wanted, State next);
  void begin_chunk();
  void refuse(int status, std::string_view detail);

  std::size_t bytes_max_;
  std::string text_;
  State state_ = State::SizeFirst;
  std::size_t left_ = 0;  // Of the chunk that is being read.
  std::size_t besides_ = 0;
  std::optional<HttpRefusal> refusal_;
};

}  // namespace petrel::net
