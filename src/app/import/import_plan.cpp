#include "app/import/import_plan.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/text.h"

namespace petrel::app {
namespace {

using Names = std::vector<std::string_view>;

// What applications and endpoints have in common.
const Names kSettings = {"retryPolicy", "maxInFlight", "timeout", "guards"};

// Made by the server, another name of what is taken, or looked at apart.
const Names kNotCopied = {
    "id",           "uid",        "createdAt",    "updatedAt",        "version",
    "rateLimit",    "archived",   "filterTypes",  "featureFlag",      "pause",
    "featureFlags", "eventTypes", "throttleRate", "clientCertificate"};

bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_empty(std::string_view raw) {
  return raw.empty() || raw == "[]" || raw == "{}" || raw == "\"\"";
}

struct RawBody {
  void take(const RawObject& record, std::string_view name, std::string_view other = {}) {
    std::string_view raw = record.raw(name);
    if (is_empty(raw) && !other.empty()) raw = record.raw(other);
    if (!is_empty(raw)) fields.emplace_back(name, raw);
  }

  void take_all(const RawObject& record, const Names& names) {
    for (const std::string_view name : names) take(record, name);
  }

  std::vector<std::pair<std::string, std::string>> fields;
};

std::string json_of(const std::vector<std::pair<std::string, std::string>>& fields) {
  JsonWriter json;
  json.begin_object();
  for (const auto& [name, raw] : fields) json.key(name).raw(raw);
  json.end_object();
  return json.take();
}

// Fields with something in them that we do not know: a newer server's, or another product's.
void note_unknown(const RawObject& record, const Names& taken, std::vector<std::string>& notes) {
  for (const std::string& name : record.names()) {
    const std::string_view raw = record.raw(name);
    if (holds(taken, name) || holds(kSettings, name) || holds(kNotCopied, name)) continue;
    if (is_empty(raw) || raw == "false" || raw == "0") continue;
    notes.push_back(fmt::format("field {}: is not known here", in_quotes(name)));
  }
}

}  // namespace

ImportBody application_body(const RawObject& record) {
  const Names taken = {"name",
                       "uid",
                       "metadata",
                       "retention",
                       "retentionPayloads",
                       "retentionAttempts",
                       "retentionDeadLetters"};
  RawBody body;
  body.take_all(record, taken);
  body.take(record, "throttleRate", "rateLimit");
  body.take_all(record, kSettings);
  ImportBody made{.json = json_of(body.fields), .notes = {}};
  note_unknown(record, taken, made.notes);
  return made;
}

ImportBody event_type_body(const RawObject& record) {
  const Names taken = {"name", "description", "deprecated", "schemas", "groupName", "validate"};
  RawBody body;
  body.take_all(record, taken);
  // It is needed, also if it says nothing.
  if (is_empty(record.raw("description"))) body.fields.emplace_back("description", "\"\"");
  body.take(record, "featureFlags");
  if (is_empty(record.raw("featureFlags"))) body.take(record, "featureFlag");
  ImportBody made{.json = json_of(body.fields), .notes = {}};
  note_unknown(record, taken, made.notes);
  return made;
}

ImportPlan::ImportPlan(const EndpointParts& parts) {
  const Names taken = {"url",      "uid",      "description",  "disabled",
                       "channels", "metadata", "caCertificate"};
  RawBody body;
  body.take_all(parts.record, taken);
  body.take(parts.record, "eventTypes", "filterTypes");
  body.take(parts.record, "throttleRate", "rateLimit");
  body.take_all(parts.record, kSettings);
  fields_ = std::move(body.fields);
  note_unknown(parts.record, taken, notes_);
  take_pause(parts.record);
  take_secret(parts.secret);
  take_headers(parts.headers);
  if (!is_empty(parts.record.raw("clientCertificate"))) {
    miss("clientCertificate and clientKey: the source does not show the key", "its client key");
  }
  if (parts.has_transformation) {
    miss("transformation: there are none here", "its transformation");
  }
}

void ImportPlan::take_pause(const RawObject& record) {
  if (is_empty(record.raw("pause"))) return;
  const Result<RawObject> pause = RawObject::parse(record.raw("pause"));
  pause_reason_ = pause.ok() ? pause->text("reason") : "";
  if (pause_reason_.empty()) pause_reason_ = "as it was before the import";
}

void ImportPlan::take_secret(const std::string& secret) {
  if (secret.starts_with("whpk_")) {
    return miss("secret: the source does not show the private half of an asymmetric one",
                "its private key");
  }
  if (secret.empty()) return miss("secret: the source does not show it", "its secret");
  JsonWriter json;
  // Some servers leave out what says of which kind it is.
  json.value(secret.starts_with("whsec_") || secret.starts_with("whsk_") ? secret
                                                                         : "whsec_" + secret);
  fields_.emplace_back("secret", json.take());
}

void ImportPlan::take_headers(const RawObject& headers) {
  if (const Result<RawObject> shown = RawObject::parse(headers.raw("headers")); shown.ok()) {
    for (const std::string& name : shown->names()) {
      if (!shown->raw(name).empty()) headers_.emplace_back(name, shown->raw(name));
    }
  }
  const Result<JsonValue> sensitive = parse_json(headers.raw("sensitive"));
  if (!sensitive.ok() || sensitive->as_array() == nullptr) return;
  for (const JsonValue& name : *sensitive->as_array()) {
    if (name.as_string() == nullptr) continue;
    miss(fmt::format("header {}: the source does not show its value", in_quotes(*name.as_string())),
         "the header " + printable(*name.as_string(), 60));
  }
}

void ImportPlan::miss(const std::string& note, const std::string& what) {
  notes_.push_back(note + "; it is paused until this is set");
  constexpr std::size_t kReasonBytesMax = 200;  // The server takes 256.
  if (pause_reason_.starts_with("imported without ")) {
    if (pause_reason_.size() < kReasonBytesMax) pause_reason_ += ", " + what;
  } else {
    pause_reason_ = "imported without " + what;
  }
}

bool ImportPlan::leave_out(const std::string& place, const std::string& why) {
  const std::string name = place.substr(0, place.find_first_of(".["));
  if (name == "headers" && place.size() > name.size()) {
    const std::string header = place.substr(name.size() + 1);
    const auto gone = std::find_if(headers_.begin(), headers_.end(), [&](const auto& each) {
      return equals_ignoring_case(each.first, header);
    });
    if (gone == headers_.end()) return false;
    headers_.erase(gone);
    miss(fmt::format("header {}: {}", in_quotes(header), why), "the header " + header);
    return true;
  }
  if (name != "secret" && name != "caCertificate") return false;
  if (std::erase_if(fields_, [&](const auto& field) { return field.first == name; }) == 0) {
    return false;
  }
  miss(fmt::format("{}: {}", name, why), "its " + name);
  return true;
}

std::string ImportPlan::body() const {
  RawFields all = fields_;
  if (!headers_.empty()) all.emplace_back("headers", json_of(headers_));
  return json_of(all);
}

}  // namespace petrel::app
