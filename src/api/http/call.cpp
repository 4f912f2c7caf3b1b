#include "api/http/call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/http/error.h"
#include "api/http/paging.h"
#include "base/check.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::api {
namespace {

std::string_view query_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
}

// From here on an error is ours, and not the caller's.
constexpr int kOurFaultMin = 500;

constexpr std::size_t kRequestIdMax = 64;

bool is_sane_id(std::string_view text) {
  return !text.empty() && text.size() <= kRequestIdMax &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                  c == '_' || c == '.';
         });
}

}  // namespace

Call::Call(std::shared_ptr<ApiContext> the_context, RequestCounts::Place the_place,
           net::HttpRequest the_request, net::Responder respond)
    : context(std::move(the_context)),
      place(the_place),
      request(std::move(the_request)),
      query(query_of(request.target)),
      respond_(std::move(respond)) {}

void Call::answer(net::HttpResponse response) {
  CHECK(respond_ != nullptr);  // Ours: a route answers once.
  context->counts.count(place, response.status);
  if (response.body.size() >= MemoryBudget::kNamedMin) response.account = account();
  std::exchange(respond_, nullptr)(std::move(response));
}

void Call::answer(const Error& error) {
  net::HttpResponse response = error_response(error);
  if (response.status >= kOurFaultMin) return fail(error, std::move(response));
  answer(std::move(response));
}

void Call::fail(const Error& error, net::HttpResponse response) {
  const std::string id = request_id();
  services().log.tell(log::Kind::RequestFailed, [&] {
    log::Words words{
        fmt::format("{} {}: {}", request.method, path_of(request.target), error.detail),
        {{"requestId", id}, {"status", response.status}}};
    if (application) words.fields.emplace_back("appId", application->id.text());
    return words;
  });
  response.headers.emplace_back("X-Request-Id", id);
  answer(std::move(response));
}

// The one that a proxy or the client has given it, so that their logs and ours can be joined, or a
// new one.
std::string Call::request_id() const {
  const std::string_view given = request.header("x-request-id");
  if (is_sane_id(given)) return std::string(given);
  return "req_" + context->maker.make(services().clock.wall()).text();
}

void Call::answer(Result<net::HttpResponse> result) {
  if (!result.ok()) return answer(result.error());
  answer(*std::move(result));
}

MemoryAccountPtr Call::account() const {
  return account_of(services().memory, caller, application.get());
}

// Whoever has answers to read already finds room for another page, or is told to read them first.
bool Call::has_room_for_page() const {
  const MemoryAccountPtr whose = account();
  const bool has_much = whose->used(MemorySide::Clients) > 0;
  const std::size_t bytes = has_much ? 2 * kPageBytesMax : MemoryBudget::kNamedMin;
  if (services().memory.has_room(MemoryUse::Responses, bytes, whose.get())) return true;
  services().memory.note_refused(MemoryUse::Responses, whose.get());
  return false;
}

void Call::on_browse_thread(Function<void()> work) {
  if (!has_room_for_page()) {
    return answer(unavailable("too many answers wait to be read; read them, and try again"));
  }
  const bool is_taken =
      context->browsing < ApiContext::kBrowsingMax && services().pool.run(std::move(work));
  if (!is_taken) return answer(unavailable("too many reads are under way; try again in a moment"));
  ++context->browsing;
}

void Call::browse(std::function<Result<net::HttpResponse>(store::Browse&)> ask) {
  read<net::HttpResponse>(std::move(ask), [self = shared_from_this()](net::HttpResponse response) {
    self->answer(std::move(response));
  });
}

void Call::change(std::vector<store::Change> changes) {
  const auto done = [self = shared_from_this()](const Status& status) {
    self->services().loop.post([self, status] {
      if (!status.ok()) return self->answer(status.error());
      self->answer(json_response(204, ""));
    });
  };
  services().changes.write({.changes = std::move(changes)}, node::Author::Person, done);
}

Result<JsonValue> Call::json() const { return under("body", parse_json(request.body)); }

Result<std::shared_ptr<const JsonValue>> Call::kept_json() const {
  ASSIGN_OR_RETURN(JsonValue body, json());
  return std::make_shared<const JsonValue>(std::move(body));
}

const std::string& Call::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  CHECK(false);  // Ours: a route asks for what its own pattern names.
}

Result<store::EndpointPtr> Call::endpoint() const {
  CHECK(application != nullptr);  // Ours: as the scope of the route says.
  store::EndpointPtr found =
      context->services.catalogue.find_endpoint(application->id, parameter("endpoint_id"));
  if (found == nullptr) return no_such_endpoint();
  return found;
}

store::EndpointPtr Call::endpoint_even_deleted(std::string_view id_or_uid) const {
  const store::Catalogue& catalogue = context->services.catalogue;
  if (auto found = catalogue.find_endpoint(application->id, id_or_uid)) return found;
  const Result<EndpointId> id = EndpointId::parse(id_or_uid);
  if (!id.ok()) return nullptr;
  store::EndpointPtr deleted = catalogue.endpoint(*id);
  const bool is_ours = deleted != nullptr && deleted->application == application->id;
  return is_ours ? deleted : nullptr;
}

MemoryAccountPtr account_of(MemoryBudget& memory, const Caller& caller,
                            const model::Application* application) {
  if (application != nullptr) return memory.account(application->id.text());
  if (caller.application) return memory.account(caller.application->text());
  return memory.account(caller.organisation.text());
}

Error no_such_endpoint() { return not_found("there is no such endpoint"); }

net::HttpResponse json_response(int status, std::string body) {
  net::HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

Serve sync_route(Result<net::HttpResponse> (*serve)(Call&)) {
  return [serve](const CallPtr& call) -> Status {
    call->answer(serve(*call));
    return Done{};
  };
}

}  // namespace petrel::api
