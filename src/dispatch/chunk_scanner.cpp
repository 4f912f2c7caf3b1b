#include "dispatch/chunk_scanner.h"

#include <algorithm>

#include "base/text.h"

namespace petrel::dispatch {
namespace {

// No body is as long, and what is under it can be multiplied by 16.
constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 56U;

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

ChunkScanner::Piece ChunkScanner::next(std::string_view bytes) {
  if (state_ == State::Data) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
    left_ -= size;
    if (left_ == 0) state_ = State::DataReturn;
    return {bytes.substr(0, size), size};
  }
  std::size_t used = 0;
  while (used < bytes.size() && !is_over() && !is_malformed() && state_ != State::Data) {
    take(bytes[used++]);
  }
  return {{}, used};
}

void ChunkScanner::take(char c) {
  switch (state_) {
    case State::SizeStart:
    case State::Size:
    case State::SizeSpace:
      return take_size(c);
    case State::Extension:
      if (c == '\r') state_ = State::SizeEnd;
      if (c == '\n') state_ = State::Malformed;
      return;
    case State::SizeEnd:
      return expect(c, '\n', left_ == 0 ? State::TrailerStart : State::Data);
    case State::DataReturn:
      return expect(c, '\r', State::DataEnd);
    case State::DataEnd:
      return expect(c, '\n', State::SizeStart);
    case State::TrailerStart:
    case State::Trailer:
      if (c == '\n') {
        state_ = State::Malformed;
      } else if (c != '\r') {
        state_ = State::Trailer;
      } else {
        state_ = state_ == State::TrailerStart ? State::LastEnd : State::TrailerEnd;
      }
      return;
    case State::TrailerEnd:
      return expect(c, '\n', State::TrailerStart);
    case State::LastEnd:
      return expect(c, '\n', State::Over);
    case State::Data:
    case State::Over:
    case State::Malformed:
      return;
  }
}

void ChunkScanner::take_size(char c) {
  const int digit = hex_digit(c);
  if (digit >= 0 && state_ != State::SizeSpace) {
    if (state_ == State::SizeStart) left_ = 0;
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    state_ = left_ < kSizeMax ? State::Size : State::Malformed;
    return;
  }
  if (state_ == State::SizeStart) {
    state_ = State::Malformed;
  } else if (c == '\r') {
    state_ = State::SizeEnd;
  } else if (c == ';') {
    state_ = State::Extension;
  } else {
    state_ = c == ' ' || c == '\t' ? State::SizeSpace : State::Malformed;
  }
}

void ChunkScanner::expect(char c, char wanted, State next) {
  state_ = c == wanted ? next : State::Malformed;
}

}  // namespace petrel::dispatch
