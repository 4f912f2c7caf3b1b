// HttpRequestReader takes a connection's bytes as they come, in pieces of any size, and gives whole
// requests.
//
//   reader.add(bytes);
//   while (reader.advance() == HttpRequestReader::Stage::Ready) serve(reader.take());
//
// It holds at most one request and what came along behind it; the caller feeds it only while
// it wants more. Once it has refused something it stays so.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/chunked_body.h"
#include "net/http_head.h"

namespace petrel::net {

class HttpRequestReader {
 public:
  enum class Stage {
    Idle,  // Nothing of the next request has come.
    Head,
    Body,
    Ready,  // A request is there to be taken.
    Refused,
  };

  explicit HttpRequestReader(const HttpLimits& limits) : limits_(limits) {}

  void add(std::string_view bytes);

  // Goes as far as what was added allows: to Ready, to Refused, or to where more is wanted.
  Stage advance();

  Stage stage() const { return stage_; }

  // REQUIRES: Body or Ready.
  const HttpHead& head() const { return head_; }

  // Whether bytes have come that it has not looked at yet.
  bool has_input() const { return at_ < input_.size(); }

  // Whether anything of the body has come. REQUIRES: Body or Ready.
  bool has_begun_body() const { return has_begun_body_; }

  // REQUIRES: Ready. What follows is the next request.
  HttpRequest take();

  // REQUIRES: Refused.
  const HttpRefusal& refusal() const { return refusal_; }

  // Forgets everything and gives its memory back.
  void give_up();

  // Memory that it keeps.
  std::size_t bytes_held() const;

 private:
  std::string_view rest() const { return std::string_view(input_).substr(at_); }
  void use(std::size_t bytes);
  Stage refuse(const HttpRefusal& refusal);
  Stage read_head();
  Stage read_body();
  Stage read_chunks();

  HttpLimits limits_;
  Stage stage_ = Stage::Idle;
  std::string input_;
  std::size_t at_ = 0;       // What stands before it is done with.
  std::size_t scanned_ = 0;  // From at_: no empty line ends before it.
  HttpHead head_;
  std::string body_;
  std::optional<ChunkedBody> chunks_;
  bool has_begun_body_ = false;
  HttpRefusal refusal_;
};

}  // namespace petrel::net
