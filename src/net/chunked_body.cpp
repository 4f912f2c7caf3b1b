#include "net/chunked_body.h"

#include <algorithm>

namespace petrel::net {
namespace {

// -1 if it is no digit.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

}  // namespace

std::size_t ChunkedBody::take(std::string_view input) {
  std::size_t used = 0;
  while (used < input.size() && !is_done() && !refusal_) {
    if (state_ == State::Data) {
      const std::size_t part = std::min(left_, input.size() - used);
      text_.append(input.substr(used, part));
      used += part;
      left_ -= part;
      if (left_ == 0) state_ = State::DataReturn;
    } else {
      take_besides(input[used]);
      ++used;
    }
  }
  return used;
}

void ChunkedBody::take_besides(char c) {
  if (++besides_ > kBesidesMax) return refuse(400, "too much stands beside a chunk of the body");
  switch (state_) {
    case State::SizeFirst:
    case State::Size:
      return take_size(c);
    case State::Extension:
      if (c == '\r') {
        state_ = State::SizeEnd;
      } else if (is_control(c)) {
        refuse(400, "a chunk's extension holds a control byte");
      }
      return;
    case State::SizeEnd:
      if (c != '\n') return refuse(400, "a chunk's size is not well-formed");
      return begin_chunk();
    case State::DataReturn:
      return expect(c, '\r', State::DataEnd);
    case State::DataEnd:
      return expect(c, '\n', State::SizeFirst);
    case State::Trailer:
      state_ = c == '\r' ? State::LastEnd : State::TrailerLine;
      if (c != '\r' && (is_control(c) || c == ' ' || c == '\t')) {
        refuse(400, "a header after the last chunk is not well-formed");
      }
      return;
    case State::TrailerLine:
      if (c == '\r') {
        state_ = State::TrailerLineEnd;
      } else if (is_control(c)) {
        refuse(400, "a header after the last chunk is not well-formed");
      }
      return;
    case State::TrailerLineEnd:
      return expect(c, '\n', State::Trailer);
    case State::LastEnd:
      return expect(c, '\n', State::Done);
    case State::Data:
    case State::Done:
      return;  // Not asked for these.
  }
}

void ChunkedBody::take_size(char c) {
  const int digit = hex_digit(c);
  if (digit >= 0) {
    // Compared before it can overflow: no size that is refused is ever added up.
    left_ = left_ * 16 + static_cast<std::size_t>(digit);
    state_ = State::Size;
    if (left_ > bytes_max_ - text_.size()) refuse(413, "the request's body is too large");
    return;
  }
  const bool has_size = state_ == State::Size;
  if (has_size && c == '\r') {
    state_ = State::SizeEnd;
  } else if (has_size && c == ';') {
    state_ = State::Extension;
  } else {
    refuse(400, "a chunk's size is not well-formed");
  }
}

void ChunkedBody::begin_chunk() {
  besides_ = 0;
  state_ = left_ == 0 ? State::Trailer : State::Data;
}

void ChunkedBody::expect(char c, char wanted, State next) {
  if (c != wanted) return refuse(400, "a chunk does not end where its size says");
  state_ = next;
}

void ChunkedBody::refuse(int status, std::string_view detail) {
  refusal_ = HttpRefusal{status, detail};
}

}  // namespace petrel::net
