#include "app/import/import_run.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/client/text_table.h"
#include "base/json_writer.h"
#include "base/try.h"

namespace petrel::app {
namespace {

constexpr int kPerPage = 250;
constexpr int kTypesPerPage = 50;  // They carry their schemas.

// More than a memory should hold of their records.
constexpr std::size_t kApplicationsMax = 500'000;

// Headers, a secret and a certificate, each of which may be refused.
constexpr int kLeftOutMax = 60;

// "billing (ep_…)", "ep_…"
std::string name_of(const RawObject& record) {
  const std::string id = printable(record.text("id"), 60);
  const std::string uid = printable(record.text("uid"), 80);
  return uid.empty() ? id : fmt::format("{} ({})", uid, id);
}

// The record itself is at fault, and not the server or us.
bool is_refusal(int status) {
  return status == 400 || status == 404 || status == 409 || status == 413 || status == 422;
}

// Where the first mistake is, such as "headers.Via", and what it is.
std::pair<std::string, std::string> fault_of(const ApiAnswer& answer) {
  const JsonValue::Array& faults = list_at(answer.json, "detail");
  if (faults.empty()) return {};
  std::string place;
  for (const JsonValue& part : list_at(faults.front(), "loc")) {
    if (part.as_string() == nullptr || (place.empty() && *part.as_string() == "body")) continue;
    place += (place.empty() ? "" : ".") + *part.as_string();
  }
  return {place, printable(text_at(faults.front(), "msg"))};
}

}  // namespace

Status ImportRun::run() {
  TRY(read_applications());
  TRY(check_apart());
  TRY(read_target_types());
  TRY(import_event_types());
  std::size_t done = 0;
  for (const RawObject& application : applications_) {
    parts_.bar.show(static_cast<double>(done) / static_cast<double>(applications_.size()),
                    fmt::format("{} of {} applications", grouped(static_cast<std::int64_t>(done)),
                                grouped(static_cast<std::int64_t>(applications_.size()))));
    TRY(import_application(application));
    ++done;
  }
  return archive_event_types();
}

Status ImportRun::read_applications() {
  for (const std::string& name : parts_.only) {
    ASSIGN_OR_RETURN(const ApiAnswer answer, parts_.source.get("/app/" + escaped(name)));
    ASSIGN_OR_RETURN(RawObject record, RawObject::parse(answer.text));
    applications_.push_back(std::move(record));
  }
  if (!parts_.only.empty()) return Done{};
  TRY(for_each_page(
      parts_.source, "/app?order=ascending", kPerPage, [&](const ApiAnswer& page) -> Result<bool> {
        ASSIGN_OR_RETURN(auto records, raw_list(page.text, "data"));
        for (RawObject& each : records) applications_.push_back(std::move(each));
        parts_.bar.show(0, fmt::format("{} applications found", applications_.size()));
        return applications_.size() <= kApplicationsMax;
      }));
  if (applications_.size() <= kApplicationsMax) return Done{};
  return invalid("--app", fmt::format("is needed: there are more than {} applications",
                                      grouped(kApplicationsMax)));
}

// Ids are unique among all servers, so a target that knows one of the source's is the source.
Status ImportRun::check_apart() {
  if (applications_.empty()) return Done{};
  const std::string id = applications_.front().text("id");
  ASSIGN_OR_RETURN(const ApiAnswer known, parts_.target.ask({.path = "/app/" + escaped(id)}));
  if (!known.is_good() || text_at(known.json, "id") != id) return Done{};
  return invalid("--from", "is the organisation that is imported into");
}

Status ImportRun::read_target_types() {
  return for_each_page(parts_.target, "/event-type?include_archived=true", kPerPage,
                       [&](const ApiAnswer& page) -> Result<bool> {
                         for (const JsonValue& each : list_at(page.json, "data")) {
                           target_types_.insert(text_at(each, "name"));
                         }
                         return true;
                       });
}

Status ImportRun::import_event_types() {
  return for_each_page(parts_.source, "/event-type?include_archived=true&with_content=true",
                       kTypesPerPage, [&](const ApiAnswer& page) -> Result<bool> {
                         ASSIGN_OR_RETURN(const auto records, raw_list(page.text, "data"));
                         for (const RawObject& each : records) TRY(import_event_type(each));
                         return true;
                       });
}

Status ImportRun::import_event_type(const RawObject& record) {
  constexpr const char* kKind = "eventType";
  const std::string name = record.text("name");
  const std::string subject = "event type " + printable(name, 80);
  const ImportEntry* known = parts_.journal.find(kKind, name);
  const bool is_there = target_types_.contains(name);
  if (known == nullptr && is_there) {
    report_.count(kKind, Fate::There);
    return Done{};
  }
  if (record.raw("archived") == "true") archived_.push_back(name);
  if (known != nullptr && is_there) {
    repeat(kKind, *known, subject);
    return Done{};
  }
  const ImportBody body = event_type_body(record);
  if (parts_.is_dry)
    return settle(kKind, name, {.to = name, .notes = body.notes}, subject, Fate::Made);
  // Noted before it is made: by its name alone it could not be told from one that was there.
  TRY(parts_.journal.add(kKind, name, {.to = name, .notes = body.notes}));
  ASSIGN_OR_RETURN(const auto answer, post({.method = "POST",
                                            .path = "/event-type",
                                            .body = body.json,
                                            .key = parts_.journal.key_for(kKind, name)},
                                           kKind, subject));
  if (!answer) {
    std::erase(archived_, name);
    return Done{};
  }
  report_.count(kKind, Fate::Made);
  for (const std::string& note : body.notes) report_.note(subject, note);
  return Done{};
}

Status ImportRun::archive_event_types() {
  for (const std::string& name : archived_) {
    // Once: a person may have revived it since.
    if (parts_.is_dry || parts_.journal.find("archivedEventType", name) != nullptr) continue;
    if (report_.refused("endpoint") > 0) {
      report_.note("event type " + printable(name, 80),
                   "is not archived yet: an endpoint that was refused may name it");
      continue;
    }
    const ApiClient::Question question{
        .method = "PATCH", .path = "/event-type/" + escaped(name), .body = R"({"archived":true})"};
    ASSIGN_OR_RETURN(const ApiAnswer answer, parts_.target.ask(question));
    if (!answer.is_good()) {
      if (!is_refusal(answer.status)) return error_of(answer, "PATCH /event-type");
      report_.note("event type " + printable(name, 80),
                   error_of(answer, "it could not be archived").detail);
    }
    TRY(parts_.journal.add("archivedEventType", name, {.to = name, .notes = {}}));
  }
  return Done{};
}

Status ImportRun::import_application(const RawObject& record) {
  ASSIGN_OR_RETURN(const auto landed, land_application(record));
  if (!landed) return Done{};
  return import_endpoints(record, *landed);
}

Result<std::optional<ImportRun::Landed>> ImportRun::land_application(const RawObject& record) {
  constexpr const char* kKind = "application";
  const std::string id = record.text("id");
  const std::string uid = record.text("uid");
  const std::string subject = "application " + name_of(record);
  if (const ImportEntry* known = parts_.journal.find(kKind, id)) {
    repeat(kKind, *known, subject);
    return std::optional(Landed{known->to, known->existed});
  }
  const ImportBody body = application_body(record);
  if (parts_.is_dry) {
    Landed landed;
    if (!uid.empty()) {
      ASSIGN_OR_RETURN(const ApiAnswer there, parts_.target.ask({.path = "/app/" + escaped(uid)}));
      if (there.is_good()) landed = {text_at(there.json, "id"), true};
    }
    TRY(settle(kKind, id, {.to = landed.id, .notes = body.notes}, subject,
               landed.existed ? Fate::There : Fate::Made));
    return std::optional(landed);
  }
  // One that has no uid can only be known by the journal.
  ASSIGN_OR_RETURN(const auto answer,
                   post({.method = "POST",
                         .path = uid.empty() ? "/app" : "/app?get_if_exists=true",
                         .body = body.json,
                         .key = parts_.journal.key_for(kKind, id)},
                        kKind, subject));
  if (!answer) return std::optional<Landed>();
  const Landed landed{text_at(answer->json, "id"), answer->status == 200};
  TRY(settle(kKind, id, {.to = landed.id, .existed = landed.existed, .notes = body.notes}, subject,
             landed.existed ? Fate::There : Fate::Made));
  return std::optional(landed);
}

Status ImportRun::import_endpoints(const RawObject& application, const Landed& landed) {
  const std::string source_app = application.text("id");
  target_app_ = landed.id;
  present_ = landed.existed ? std::make_unique<ImportTarget>(parts_.target, landed.id) : nullptr;
  const std::string of_app = " of " + name_of(application);
  const Status done = for_each_page(
      parts_.source, fmt::format("/app/{}/endpoint?order=ascending", escaped(source_app)), kPerPage,
      [&](const ApiAnswer& page) -> Result<bool> {
        ASSIGN_OR_RETURN(const auto records, raw_list(page.text, "data"));
        for (const RawObject& each : records) {
          TRY(import_endpoint(each, source_app, "endpoint " + name_of(each) + of_app));
        }
        return true;
      });
  if (done.ok() || done.error().kind != ErrorKind::NotFound) return done;
  report_.note("application " + name_of(application), "was deleted at the source meanwhile");
  return Done{};
}

Status ImportRun::import_endpoint(const RawObject& record, const std::string& source_app,
                                  const std::string& subject) {
  constexpr const char* kKind = "endpoint";
  const std::string id = record.text("id");
  if (const ImportEntry* known = parts_.journal.find(kKind, id)) {
    repeat(kKind, *known, subject);
    return Done{};
  }
  ASSIGN_OR_RETURN(const auto parts, read_endpoint(record, source_app));
  if (!parts) return Done{};  // Deleted meanwhile.
  if (present_ != nullptr) {
    ASSIGN_OR_RETURN(const auto there, present_->find(record, parts->secret));
    if (there) {
      return settle(kKind, id, {.to = *there, .existed = true, .notes = {}}, subject, Fate::There);
    }
  }
  return make_endpoint(*parts, subject);
}

Result<std::optional<EndpointParts>> ImportRun::read_endpoint(const RawObject& record,
                                                              const std::string& source_app) {
  const std::string path =
      fmt::format("/app/{}/endpoint/{}", escaped(source_app), escaped(record.text("id")));
  const auto secret = shown_secret(parts_.source, source_app, record.text("id"));
  const auto headers = parts_.source.get(path + "/headers");
  for (const Error* error :
       {secret.ok() ? nullptr : &secret.error(), headers.ok() ? nullptr : &headers.error()}) {
    if (error == nullptr) continue;
    if (error->kind == ErrorKind::NotFound) return std::optional<EndpointParts>();
    return *error;
  }
  ASSIGN_OR_RETURN(const RawObject shown, RawObject::parse(headers->text));
  ASSIGN_OR_RETURN(const bool transforms, has_transformation(path));
  return std::optional(EndpointParts{
      .record = record, .secret = *secret, .headers = shown, .has_transformation = transforms});
}

// Svix's hosted product has them alone. Others do not know the route, and are asked only once:
// their answer has no body, or is our own.
Result<bool> ImportRun::has_transformation(const std::string& path) {
  if (!may_transform_) return false;
  ASSIGN_OR_RETURN(const ApiAnswer answer, parts_.source.ask({.path = path + "/transformation"}));
  if (answer.is_good()) return flag_at(answer.json, "enabled");
  may_transform_ =
      !answer.text.empty() && text_at(answer.json, "detail").find("route") == std::string::npos;
  return false;
}

Status ImportRun::make_endpoint(const EndpointParts& parts, const std::string& subject) {
  constexpr const char* kKind = "endpoint";
  const std::string id = parts.record.text("id");
  ImportPlan plan(parts);
  if (parts_.is_dry) {
    return settle(kKind, id, {.to = "", .notes = plan.notes()}, subject, Fate::Made);
  }
  for (int tries = 0;; ++tries) {
    const ApiClient::Question question{
        .method = "POST",
        .path = fmt::format("/app/{}/endpoint", escaped(target_app_)),
        .body = plan.body(),
        .key = parts_.journal.key_for(kKind, id)};
    ASSIGN_OR_RETURN(const ApiAnswer answer, parts_.target.ask(question));
    if (answer.is_good()) return finish_endpoint(id, plan, text_at(answer.json, "id"), subject);
    const auto [place, why] = fault_of(answer);
    const bool may_go_without =
        answer.status == 422 && tries < kLeftOutMax && plan.leave_out(place, why);
    if (!may_go_without) return refuse(kKind, subject, answer);
  }
}

Status ImportRun::finish_endpoint(const std::string& id, const ImportPlan& plan,
                                  const std::string& target_id, const std::string& subject) {
  if (!plan.pause_reason().empty()) {
    JsonWriter json;
    json.begin_object().field("reason", plan.pause_reason()).end_object();
    TRY(parts_.target.post(
        fmt::format("/app/{}/endpoint/{}/pause", escaped(target_app_), escaped(target_id)),
        json.take(), parts_.journal.key_for("pause", id)));
  }
  return settle("endpoint", id, {.to = target_id, .notes = plan.notes()}, subject, Fate::Made);
}

Result<std::optional<ApiAnswer>> ImportRun::post(const ApiClient::Question& question,
                                                 const std::string& kind,
                                                 const std::string& subject) {
  ASSIGN_OR_RETURN(ApiAnswer answer, parts_.target.ask(question));
  if (answer.is_good()) return std::optional(std::move(answer));
  TRY(refuse(kind, subject, answer));
  return std::optional<ApiAnswer>();
}

Status ImportRun::refuse(const std::string& kind, const std::string& subject,
                         const ApiAnswer& answer) {
  if (!is_refusal(answer.status)) return error_of(answer, subject);
  report_.count(kind, Fate::Refused);
  report_.note(subject, error_of(answer, "the target refuses it").detail);
  return Done{};
}

Status ImportRun::settle(const std::string& kind, const std::string& id, ImportEntry entry,
                         const std::string& subject, Fate fate) {
  report_.count(kind, fate);
  for (const std::string& note : entry.notes) report_.note(subject, note);
  if (parts_.is_dry) return Done{};
  return parts_.journal.add(kind, id, std::move(entry));
}

void ImportRun::repeat(const std::string& kind, const ImportEntry& entry,
                       const std::string& subject) {
  report_.count(kind, entry.existed ? Fate::There : Fate::Before);
  for (const std::string& note : entry.notes) report_.note(subject, note);
}

}  // namespace petrel::app
