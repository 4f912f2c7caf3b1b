#include "api/call.h"

#include <utility>

#include "api/error.h"
#include "base/check.h"

namespace petrel::api {
namespace {

std::string_view query_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

net::HttpResponse response_of(Result<net::HttpResponse> result) {
  return result.ok() ? *std::move(result) : error_response(result.error());
}

}  // namespace

Call::Call(std::shared_ptr<Desk> the_desk, net::HttpRequest the_request, net::Responder respond)
    : desk(std::move(the_desk)),
      request(std::move(the_request)),
      query(query_of(request.target)),
      respond_(std::move(respond)) {}

void Call::answer(net::HttpResponse response) {
  CHECK(respond_ != nullptr);
  std::exchange(respond_, nullptr)(std::move(response));
}

void Call::answer(const Error& error) { answer(error_response(error)); }

void Call::answer(Result<net::HttpResponse> result) { answer(response_of(std::move(result))); }

void Call::on_browse_thread(Task task) {
  if (desk->browsing >= Desk::kBrowsingMax) {
    return answer(unavailable("too many reads are under way; try again in a moment"));
  }
  ++desk->browsing;
  desk->parts.run_blocking(std::move(task));
}

void Call::browse(std::function<Result<net::HttpResponse>(store::Browse&)> ask) {
  read<net::HttpResponse>(std::move(ask), [self = shared_from_this()](net::HttpResponse response) {
    self->answer(std::move(response));
  });
}

Result<JsonValue> Call::json() const {
  Result<JsonValue> body = parse_json(request.body);
  if (!body.ok()) return body.error().under("body");
  return body;
}

const std::string& Call::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  CHECK(false);
}

store::EndpointPtr Call::endpoint() const {
  CHECK(application != nullptr);
  return desk->parts.catalogue.find_endpoint(application->id, parameter("endpoint_id"));
}

net::HttpResponse json_response(int status, std::string body) {
  net::HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

std::function<void(const CallPtr&)> at_once(Result<net::HttpResponse> (*serve)(Call&)) {
  return [serve](const CallPtr& call) { call->answer(serve(*call)); };
}

}  // namespace petrel::api
