#include "dispatch/response_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/check.h"
#include "base/text.h"
#include "model/attempt.h"

namespace petrel::dispatch {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

// Chunks may be tiny and have long extensions; this bounds what a body may cost beside its bytes.
constexpr std::size_t kRawBodyMax = 2 * ResponseReader::kBodyReadMax;

// A header that we hand on is not longer than any honest one.
constexpr std::size_t kValueMax = 256;

// The shortest end of a chunked body. With less of it at hand Beast's own assertions can fail.
constexpr std::size_t kLastChunkBytes = 5;

}  // namespace

// Beast's parser without its message: only the few fields that we need are kept.
class ResponseReader::Parser final : public http::basic_parser<false> {
 public:
  explicit Parser(State& answer) : answer_(answer) {
    eager(true);
    header_limit(static_cast<std::uint32_t>(kHeaderBytesMax));
    body_limit(boost::none);
  }

 private:
  void on_request_impl(http::verb, beast::string_view, beast::string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, beast::string_view, int, error_code& error) override;
  void on_field_impl(http::field name, beast::string_view, beast::string_view value,
                     error_code&) override;
  void append_wish(std::string_view value);
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body,
                                 error_code& error) override {
    return on_body_impl(body, error);
  }
  void on_finish_impl(error_code&) override {}

  State& answer_;
};

struct ResponseReader::State {
  std::optional<Parser> parser;
  int status = 0;
  bool has_begun = false;
  bool is_reusable = false;
  int interims = 0;
  std::size_t header_bytes = 0;
  std::size_t raw_body_bytes = 0;
  std::size_t body_bytes = 0;
  std::string pending;  // Read, but not yet understood.
  std::string body;
  std::string retry_after;
  std::string date;
  std::string webhook_delivery;
  std::string_view why;
};

void ResponseReader::Parser::on_response_impl(int code, beast::string_view, int,
                                              error_code& error) {
  answer_.status = code;
  if (code < 100) error = http::error::bad_status;
}

void ResponseReader::Parser::on_field_impl(http::field name, beast::string_view text,
                                           beast::string_view value, error_code&) {
  if (is_header_done()) return;  // A trailer.
  if (equals_ignoring_case({text.data(), text.size()}, "webhook-delivery")) {
    return append_wish({value.data(), value.size()});
  }
  const bool is_retry_after = name == http::field::retry_after;
  if (!is_retry_after && name != http::field::date) return;
  const std::size_t size = std::min(value.size(), kValueMax);
  (is_retry_after ? answer_.retry_after : answer_.date).assign(value.data(), size);
}

// A list may come in several headers. One that does not fit is left out whole: half a word could be
// another word.
void ResponseReader::Parser::append_wish(std::string_view value) {
  std::string& wish = answer_.webhook_delivery;
  if (wish.size() + 1 + value.size() > kValueMax) return;
  if (!wish.empty()) wish += ',';
  wish += value;
}

std::size_t ResponseReader::Parser::on_body_impl(beast::string_view body, error_code& error) {
  const std::size_t kept = std::min(body.size(), model::kResponseKeptBytes - answer_.body.size());
  answer_.body.append(body.data(), kept);
  answer_.body_bytes += body.size();
  if (answer_.body_bytes > kBodyReadMax) error = http::error::body_limit;
  return body.size();
}

ResponseReader::ResponseReader() : state_(std::make_unique<State>()) { reset(); }
ResponseReader::~ResponseReader() = default;

void ResponseReader::reset() {
  State& state = *state_;
  state.parser.emplace(state);
  state.status = 0;
  state.has_begun = false;
  state.is_reusable = false;
  state.interims = 0;
  state.header_bytes = 0;
  state.raw_body_bytes = 0;
  state.body_bytes = 0;
  state.pending.clear();
  state.body.clear();
  state.retry_after.clear();
  state.date.clear();
  state.webhook_delivery.clear();
  state.why = {};
}

ResponseReader::Progress ResponseReader::feed(std::string_view bytes) {
  State& state = *state_;
  if (bytes.empty()) return Progress::NeedMore;
  state.has_begun = true;
  if (state.pending.empty()) return parse(bytes);
  // What is left of it comes back to `pending` from there.
  std::string joined = std::exchange(state.pending, {});
  joined += bytes;
  return parse(joined);
}

ResponseReader::Progress ResponseReader::parse(std::string_view bytes) {
  State& state = *state_;
  for (;;) {
    const Progress progress = put(bytes);
    if (progress == Progress::NeedMore) {
      state.pending.assign(bytes);
      const std::size_t header_bytes = state.header_bytes + bytes.size();
      if (!has_header() && header_bytes > kHeaderBytesMax) {
        return refuse("the answer's headers are longer than 32 KiB");
      }
      if (state.raw_body_bytes + state.pending.size() > kRawBodyMax) return Progress::CutOff;
      return Progress::NeedMore;
    }
    if (progress != Progress::Done) return progress;
    if (status() / 100 != 1) return finish(bytes);
    if (status() == 101) return refuse("the receiver wants another protocol than HTTP/1.1");
    if (++state.interims > kInterimMax) return refuse("more than ten interim answers (1xx)");
    state.parser.emplace(state);
    state.header_bytes = 0;
    state.retry_after.clear();
    state.date.clear();
    state.webhook_delivery.clear();
    if (bytes.empty()) return Progress::NeedMore;
  }
}

// Takes what can be understood off the front of `bytes`.
ResponseReader::Progress ResponseReader::put(std::string_view& bytes) {
  State& state = *state_;
  Parser& parser = *state.parser;
  while (!parser.is_done()) {
    const bool was_header = !parser.is_header_done();
    if (bytes.empty()) return Progress::NeedMore;
    if (!was_header && parser.chunked() && bytes.size() < kLastChunkBytes) {
      return Progress::NeedMore;
    }
    error_code error;
    const std::size_t used = parser.put(boost::asio::buffer(bytes), error);
    bytes.remove_prefix(used);
    (was_header && !parser.is_header_done() ? state.header_bytes : state.raw_body_bytes) += used;
    if (error == http::error::need_more) return Progress::NeedMore;
    if (error == http::error::body_limit) return Progress::CutOff;
    if (error == http::error::header_limit) {
      return refuse("the answer's headers are longer than 32 KiB");
    }
    if (error) return refuse("the answer is not well-formed HTTP/1.1");
    if (state.raw_body_bytes > kRawBodyMax + kHeaderBytesMax) return Progress::CutOff;
  }
  return Progress::Done;
}

ResponseReader::Progress ResponseReader::finish(std::string_view beyond) {
  // What comes after the answer was not asked for: nothing on this connection can be trusted.
  state_->is_reusable = beyond.empty() && state_->parser->keep_alive();
  return Progress::Done;
}

ResponseReader::Progress ResponseReader::refuse(std::string_view why) {
  state_->why = why;
  return Progress::Malformed;
}

ResponseReader::Progress ResponseReader::end() {
  CHECK(state_->has_begun);
  Parser& parser = *state_->parser;
  error_code error = http::error::partial_message;
  if (parser.got_some()) parser.put_eof(error);
  if (error) return refuse("the connection ended before the answer did");
  return Progress::Done;
}

bool ResponseReader::has_begun() const { return state_->has_begun; }

bool ResponseReader::has_header() const { return state_->parser->is_header_done(); }

int ResponseReader::status() const {
  CHECK(has_header());
  return state_->status;
}

const std::string& ResponseReader::retry_after() const { return state_->retry_after; }
const std::string& ResponseReader::date() const { return state_->date; }
const std::string& ResponseReader::webhook_delivery() const { return state_->webhook_delivery; }
std::string ResponseReader::take_body() { return std::exchange(state_->body, {}); }
bool ResponseReader::is_reusable() const { return state_->is_reusable; }
std::string_view ResponseReader::why() const { return state_->why; }

}  // namespace petrel::dispatch
