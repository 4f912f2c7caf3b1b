#include "net/http_request_reader.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"

namespace petrel::net {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

// A buffer that grew beyond this for one request is given back after it.
constexpr std::size_t kKeptMax = 32 * 1024;

}  // namespace

void HttpRequestReader::add(std::string_view bytes) {
  // Only here: pipelined requests are taken one by one without moving those behind them.
  input_.erase(0, std::exchange(at_, 0));
  input_.append(bytes);
}

HttpRequestReader::Stage HttpRequestReader::advance() {
  if (stage_ == Stage::Idle && !rest().empty()) stage_ = Stage::Head;
  if (stage_ == Stage::Head) stage_ = read_head();
  if (stage_ != Stage::Body) return stage_;
  has_begun_body_ = has_begun_body_ || has_input();
  stage_ = head_.is_chunked ? read_chunks() : read_body();
  return stage_;
}

HttpRequestReader::Stage HttpRequestReader::read_head() {
  const std::string_view text = rest();
  if (!can_begin_http(text.front())) {
    return refuse({400, "this is not a well-formed HTTP/1.1 request"});
  }
  const std::size_t end = text.substr(0, limits_.header_bytes_max).find(kHeadEnd, scanned_);
  if (end == std::string_view::npos) {
    if (text.size() >= limits_.header_bytes_max) {
      return refuse({431, "the request's headers are too large"});
    }
    scanned_ = text.size() - std::min(text.size(), kHeadEnd.size() - 1);
    return Stage::Head;
  }
  const std::size_t size = end + kHeadEnd.size();
  auto parsed = parse_http_head(text.substr(0, size), limits_);
  if (const auto* refusal = std::get_if<HttpRefusal>(&parsed)) return refuse(*refusal);
  head_ = std::move(*std::get_if<HttpHead>(&parsed));
  use(size);
  if (head_.is_chunked) chunks_.emplace(limits_.body_bytes_max);
  return Stage::Body;
}

HttpRequestReader::Stage HttpRequestReader::read_body() {
  const std::size_t part = std::min(rest().size(), head_.content_length - body_.size());
  // Doubled as it grows, but never beyond what was announced. reserve() alone would double anyway.
  if (body_.size() + part > body_.capacity()) {
    std::string larger;
    larger.reserve(std::min(head_.content_length, 2 * (body_.size() + part)));
    larger.append(body_);
    body_.swap(larger);
  }
  body_.append(rest().substr(0, part));
  use(part);
  return body_.size() == head_.content_length ? Stage::Ready : Stage::Body;
}

HttpRequestReader::Stage HttpRequestReader::read_chunks() {
  use(chunks_->take(rest()));
  if (chunks_->refusal()) return refuse(*chunks_->refusal());
  if (!chunks_->is_done()) return Stage::Body;
  body_ = std::move(chunks_->text());
  chunks_.reset();
  return Stage::Ready;
}

HttpRequest HttpRequestReader::take() {
  CHECK(stage_ == Stage::Ready);  // Ours: the connection calls it on Ready and on nothing else.
  HttpRequest request = std::move(head_.request);
  request.body = std::exchange(body_, {});
  head_ = {};
  scanned_ = 0;
  has_begun_body_ = false;
  stage_ = Stage::Idle;
  return request;
}

// By swapping: a string that is assigned to keeps the memory that it had.
void HttpRequestReader::give_up() {
  std::string().swap(input_);
  std::string().swap(body_);
  chunks_.reset();
  head_ = {};
  at_ = 0;
  scanned_ = 0;
  has_begun_body_ = false;
  stage_ = Stage::Idle;
}

void HttpRequestReader::use(std::size_t bytes) {
  at_ += bytes;
  if (at_ < input_.size()) return;
  at_ = 0;
  input_.clear();
  if (input_.capacity() > kKeptMax) input_.shrink_to_fit();
}

HttpRequestReader::Stage HttpRequestReader::refuse(const HttpRefusal& refusal) {
  refusal_ = refusal;
  return Stage::Refused;
}

std::size_t HttpRequestReader::bytes_held() const {
  return input_.capacity() + body_.capacity() + (chunks_ ? chunks_->text().capacity() : 0);
}

}  // namespace petrel::net
