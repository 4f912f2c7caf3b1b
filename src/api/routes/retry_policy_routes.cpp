// Retry policies: the presets, and what a policy would do. Petrel's own.

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/routes/routes.h"
#include "base/try.h"
#include "policy/presets.h"
#include "policy/preview.h"
#include "policy/retry_policy_json.h"

namespace petrel::api {
namespace {

// What one request may play through: some tens of milliseconds of the browse thread.
constexpr std::int64_t kSampledAttemptsMax = 1'000'000;
constexpr int kSamplesDefault = 10'000;

void write_preset(const policy::Preset& preset, JsonWriter& json) {
  json.begin_object();
  json.field("name", preset.name()).field("summary", preset.summary);
  json.field("isDefault", preset.name() == policy::kDefaultPreset);
  json.key("policy");
  policy::write_policy_whole(preset.policy, json);
  json.end_object();
}

Result<net::HttpResponse> list(Call&) {
  return json_body(200, [](JsonWriter& json) {
    json.begin_object().key("data").begin_array();
    for (const policy::Preset& preset : policy::presets()) write_preset(preset, json);
    json.end_array().key("iterator").null().field("done", true).end_object();
  });
}

Result<net::HttpResponse> get(Call& call) {
  const std::string& name = call.parameter("name");
  const auto presets = policy::presets();
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const policy::Preset& each) { return each.name() == name; });
  if (found == presets.end()) return not_found(policy::find_preset(name).error().detail);
  return json_body(200, [&](JsonWriter& json) { write_preset(*found, json); });
}

struct PreviewOrder {
  policy::RetryPolicy policy;
  policy::PreviewSettings settings;
};

Result<PreviewOrder> read_order(const Call& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call.json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  if (fields.find("policy") == nullptr) return invalid("body.policy", "is missing");
  PreviewOrder order;
  std::optional<int> samples;
  int failures = policy::kAttemptsMax;
  constexpr int kMax = static_cast<int>(kSampledAttemptsMax);
  TRY(under("body", first_error({take(fields, "policy", order.policy, policy::policy_from_json),
                                 take_or_clear(fields, "samples", samples,
                                               IntegerReading{.min = 1, .max = kMax}),
                                 take(fields, "failures", failures,
                                      IntegerReading{.min = 1, .max = policy::kAttemptsMax})})));
  const int rows = std::min(failures, order.policy.attempts_max);
  const int samples_max = kMax / rows;
  if (samples && *samples > samples_max) {
    return invalid("body.samples",
                   fmt::format("must be at most {} for {} attempts", samples_max, rows));
  }
  order.settings.samples = samples.value_or(std::min(kSamplesDefault, samples_max));
  order.settings.rows_max = rows;
  return order;
}

// It reads nothing, but it takes its time: on the thread that may.
Status preview(const CallPtr& call) {
  ASSIGN_OR_RETURN(const PreviewOrder order, read_order(*call));
  call->browse([order](store::Browse&) -> Result<net::HttpResponse> {
    return json_body(200, [&](JsonWriter& json) {
      policy::write_preview(policy::preview(order.policy, order.settings), json);
    });
  });
  return Done{};
}

}  // namespace

std::vector<Route> retry_policy_routes() {
  using enum Capability;
  RouteTable table("Retry policy");
  table.add("GET", "/api/v1/retry-policy", {ViewBase, sync_route(list)},
            {"v1.retry-policy.list", "List the preset retry policies"},
            {.response = "ListResponse_RetryPolicyPresetOut_"});
  table.add("GET", "/api/v1/retry-policy/{name}", {ViewBase, sync_route(get)},
            {"v1.retry-policy.get", "Get a preset retry policy"},
            {.response = "RetryPolicyPresetOut"});
  table.add("POST", "/api/v1/retry-policy/preview", {ManageEndpoint, preview},
            {"v1.retry-policy.preview",
             "Show when the attempts of a delivery that keeps failing would happen"},
            {.request = "RetryPolicyPreviewIn", .response = "RetryPolicyPreviewOut"});
  return table.take();
}

}  // namespace petrel::api
