#include "api/routes/ensure_application.h"

#include <utility>

#include "api/http/error.h"

namespace petrel::api {
namespace {

constexpr std::string_view kUid = "body.application.uid";

// Empty if all is well.
std::optional<net::HttpResponse> uid_problem(const Call& call,
                                             const model::Application& described) {
  if (described.uid.empty()) {
    return typed_page(invalid(kUid, "is missing: it must be the one in the path"),
                      "application_uid_missing");
  }
  const bool is_named = described.uid == call.parameter("app_id") ||
                        (call.application != nullptr && described.uid == call.application->uid);
  if (is_named) return std::nullopt;
  return typed_page(invalid(kUid, "is not the one in the path"), "application_uid_mismatch");
}

}  // namespace

void ensure_application(const CallPtr& call, const std::optional<model::Application>& described,
                        std::function<void()> then) {
  if (!described) {
    if (call->application != nullptr) return then();
    return call->answer(not_found("there is no such application"));
  }
  if (auto problem = uid_problem(*call, *described)) return call->answer(*std::move(problem));
  if (call->application != nullptr) return then();

  model::Application application = *described;
  const WallTime now = call->services().clock.wall();
  application.id = ApplicationId(call->context->maker.make(now));
  application.organisation = call->caller.organisation;
  application.created_at = application.updated_at = now;
  call->services().changes.make(
      node::Changes::Turn(),
      [application]() -> Result<store::ChangeSet> {
        return store::ChangeSet{.changes = {store::CreateApplication{application}}};
      },
      [call, uid = application.uid, then = std::move(then)](const Status& status) {
        call->services().loop.post([call, uid, then, status] {
          // If another request was faster, its application is as good.
          const bool is_there = status.ok() || status.error().kind == ErrorKind::Conflict;
          if (is_there) {
            call->application =
                call->services().catalogue.find_application(call->caller.organisation, uid);
          }
          if (call->application != nullptr) return then();
          call->answer(status.ok() ? unavailable("the application is not there yet; try again")
                                   : status.error());
        });
      });
}

}  // namespace petrel::api
