// ChunkScanner takes a chunked body apart: which of the bytes that come are the body's own.
//
//   "5\r\nhello\r\n0\r\n\r\n"  →  "hello", and then it is over
//
// Extensions and trailers are passed over. It keeps nothing, so the caller bounds the bytes.
//
// Internal to the dispatch room.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace petrel::dispatch {

class ChunkScanner {
 public:
  // What the front of the input is.
  struct Piece {
    std::string_view body;  // Of the input; may be empty.
    std::size_t used = 0;   // Bytes of the input that are done with, `body` among them.
  };

  // Takes the next piece off `bytes`. Uses at least one byte, unless it is over or malformed.
  //
  // REQUIRES: `bytes` is not empty.
  Piece next(std::string_view bytes);

  bool is_over() const { return state_ == State::Over; }
  bool is_malformed() const { return state_ == State::Malformed; }

 private:
  enum class State : std::uint8_t {
    SizeStart,
    Size,
    SizeSpace,
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    TrailerStart,
    Trailer,
    TrailerEnd,
    LastEnd,
    Over,
    Malformed,
  };

  void take(char c);
  void take_size(char c);
  void expect(char c, char wanted, State next);

  State state_ = State::SizeStart;
  std::uint64_t left_ = 0;  // Of the size being read, or of the chunk.
};

}  // namespace petrel::dispatch
