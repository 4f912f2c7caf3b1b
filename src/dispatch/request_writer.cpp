#include "dispatch/request_writer.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "dispatch/custom_header.h"

namespace petrel::dispatch {
namespace {

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

std::string written(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::string out;
  for (const auto& [name, value] : headers) {
    if (check_custom_header(name, value).ok()) append_header(out, name, value);
  }
  return out;
}

}  // namespace

Result<RequestWriter> RequestWriter::make(EndpointPtr endpoint, std::string_view user_agent) {
  Result<Url> url = Url::parse(endpoint->url);
  if (!url.ok()) return url.error().under("url");
  return RequestWriter(std::move(endpoint), *std::move(url), user_agent);
}

RequestWriter::RequestWriter(EndpointPtr endpoint, Url url, std::string_view user_agent)
    : endpoint_(std::move(endpoint)),
      url_(std::move(url)),
      tls_(url_.is_https ? TlsMaterial(endpoint_) : TlsMaterial()),
      pool_key_(tls_.id().empty() ? url_.origin() : url_.origin() + " " + tls_.id()),
      beginning_(fmt::format("POST {} HTTP/1.1\r\nhost: {}\r\nuser-agent: {}\r\n"
                             "content-type: ",
                             url_.target, url_.authority(), user_agent)),
      own_headers_(written(endpoint_->headers)) {}

void RequestWriter::write_head(const MessageId& message, WallTime at, std::string_view body,
                               std::string_view content_type, std::string& out) {
  const std::string id = message.text();
  const std::string timestamp = signature::timestamp_text(at);
  const std::string signatures = signer_at(at).sign(id, at, body);

  out += beginning_;
  out += content_type.empty() ? "application/json" : content_type;
  out += "\r\ncontent-length: ";
  append_number(out, body.size());
  out += "\r\n";
  append_header(out, "webhook-id", id);
  append_header(out, "webhook-timestamp", timestamp);
  append_header(out, "webhook-signature", signatures);
  append_header(out, "svix-id", id);
  append_header(out, "svix-timestamp", timestamp);
  append_header(out, "svix-signature", signatures);
  out += own_headers_;
  out += "\r\n";
}

signature::Signer& RequestWriter::signer_at(WallTime at) {
  const bool is_current = signer_ && at >= signer_from_ && (!signer_until_ || at < *signer_until_);
  if (!is_current) {
    signer_.emplace(endpoint_->keys.active(at));
    signer_from_ = at;
    signer_until_ = endpoint_->keys.next_expiry(at);
    // Without an end there is no beginning either: the clock may step back.
    if (!signer_until_ && endpoint_->keys.old.empty()) signer_from_ = WallTime::min();
  }
  return *signer_;
}

}  // namespace petrel::dispatch
