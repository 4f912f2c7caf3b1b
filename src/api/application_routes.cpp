#include "api/call.h"
#include "api/json_application.h"
#include "api/paging.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(int status, const model::Application& application) {
  return written(status, [&](JsonWriter& json) { write_application(application, json); });
}

Result<net::HttpResponse> list(Call& call) {
  const Result<PageRequest> request =
      read_ordered_page(call.query, ApplicationId::kPrefix, store::Order::Ascending);
  if (!request.ok()) return request.error();
  const auto id_of = [](const store::ApplicationPtr& each) { return each->id; };
  auto listed = window(call.parts().catalogue.applications_of(call.caller.organisation),
                       request->page, [](const auto& each) { return each->id.ksuid(); });
  return json_response(200, page_text(facing(std::move(listed), *request), *request, id_of,
                                      [](const store::ApplicationPtr& each, JsonWriter& json) {
                                        write_application(*each, json);
                                      }));
}

Result<net::HttpResponse> get(Call& call) { return shown(200, *call.application); }

store::ApplicationPtr by_uid(Call& call, const std::string& uid) {
  if (uid.empty()) return nullptr;
  return call.parts().catalogue.find_application(call.caller.organisation, uid);
}

void create(const CallPtr& call) {
  const Result<bool> get_if_exists = call->query.flag("get_if_exists", false);
  if (!get_if_exists.ok()) return call->answer(get_if_exists.error());
  const Result<JsonValue> body = call->json();
  if (!body.ok()) return call->answer(body.error());
  model::Application application;
  if (const Status status = read_application(*body, application); !status.ok()) {
    return call->answer(status.error().under("body"));
  }
  if (const auto known = by_uid(*call, application.uid); *get_if_exists && known != nullptr) {
    return call->answer(shown(200, *known));
  }
  const WallTime now = call->parts().clock.wall();
  application.id = ApplicationId(call->desk->maker.make(now));
  application.organisation = call->caller.organisation;
  application.created_at = application.updated_at = now;
  call->parts().changes.create(
      application, [call, application, get_if_exists = *get_if_exists](const Status& status) {
        call->parts().post([call, application, get_if_exists, status] {
          if (status.ok()) return call->answer(shown(201, application));
          const bool is_taken = status.error().kind == ErrorKind::Conflict;
          // Somebody else made it between our look and our write.
          const auto known = get_if_exists && is_taken ? by_uid(*call, application.uid) : nullptr;
          if (known != nullptr) return call->answer(shown(200, *known));
          call->answer(status.error());
        });
      });
}

}  // namespace

std::vector<Route> application_routes() {
  constexpr std::string_view kTag = "Application";
  return {
      {"GET",
       "/api/v1/app",
       Scope::Organisation,
       at_once(list),
       {.id = "v1.application.list",
        .summary = "List applications",
        .tag = kTag,
        .query = "limit iterator order",
        .response = "ListResponse_ApplicationOut_"}},
      {"POST",
       "/api/v1/app",
       Scope::Organisation,
       create,
       {.id = "v1.application.create",
        .summary = "Create an application",
        .tag = kTag,
        .query = "get_if_exists",
        .request = "ApplicationIn",
        .status = 201,
        .response = "ApplicationOut"}},
      {"GET",
       "/api/v1/app/{app_id}",
       Scope::Application,
       at_once(get),
       {.id = "v1.application.get",
        .summary = "Get an application",
        .tag = kTag,
        .response = "ApplicationOut"}},
  };
}

}  // namespace petrel::api
