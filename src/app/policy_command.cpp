#include "app/policy_command.h"

#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/policy_argument.h"
#include "app/terminal.h"
#include "base/duration_text.h"
#include "base/json_writer.h"
#include "policy/presets.h"
#include "policy/preview.h"
#include "policy/retry_policy_json.h"

namespace petrel::app {
namespace {

constexpr std::string_view kListHint = "petrel policy list shows the presets";

struct PreviewOptions {
  std::string policy;
  std::int64_t failures = policy::kAttemptsMax;
  std::int64_t samples = 10'000;
  std::uint64_t seed = 1;
  bool is_json = false;
};

int list_presets(bool is_json) {
  JsonWriter json;
  json.begin_array();
  for (const policy::Preset& preset : policy::presets()) {
    json.begin_object().field("name", preset.name()).field("summary", preset.summary);
    json.field("maxAttempts", static_cast<std::int64_t>(preset.policy.attempts_max));
    json.field("isDefault", preset.name() == policy::kDefaultPreset).end_object();
  }
  json.end_array();
  if (is_json) {
    fmt::print("{}\n", json.text());
    return kExitOk;
  }
  const bool has_colours = shows_colours(stdout);
  for (const policy::Preset& preset : policy::presets()) {
    const bool is_default = preset.name() == policy::kDefaultPreset;
    fmt::print("{}  {:>2} attempts  {}{}\n",
               coloured(fmt::format("{:<18}", preset.name()), Colour::Bold, has_colours),
               preset.policy.attempts_max, preset.summary, is_default ? " (the default)" : "");
  }
  return kExitOk;
}

int show_preset(const std::string& name) {
  const Result<policy::RetryPolicy> policy = policy::find_preset(name);
  if (!policy.ok()) {
    complain(policy.error().text(), kListHint);
    return kExitUsage;
  }
  JsonWriter json;
  policy::write_policy_whole(*policy, json);
  fmt::print("{}\n", json.text());
  return kExitOk;
}

void print_table(const policy::RetryPolicy& policy, const policy::Preview& preview,
                 const PreviewOptions& options) {
  fmt::print("{}", policy::preview_table(preview));
  fmt::print("\nEvery attempt answered with a 503, {} samples, seed {}. ", options.samples,
             options.seed);
  if (!preview.ends) {
    fmt::print("A rule takes the 503 for a success: delivered.\n");
  } else {
    fmt::print("Ends {}: at most {} attempts, given up after {}.\n", to_string(*preview.ends),
               policy.attempts_max, to_words(policy.give_up_after));
  }
}

int preview_policy(const PreviewOptions& options) {
  const Result<policy::RetryPolicy> policy = read_policy(options.policy);
  if (!policy.ok()) {
    complain(policy.error().text(), kListHint);
    return kExitUsage;
  }
  const std::int64_t rows = std::min<std::int64_t>(options.failures, policy->attempts_max);
  const std::int64_t samples_max = policy::kSampledAttemptsMax / rows;
  if (options.samples > samples_max) {
    complain(fmt::format("--samples: at most {} for {} attempts", samples_max, rows));
    return kExitUsage;
  }
  const policy::Preview preview =
      policy::preview(*policy, {.samples = static_cast<int>(options.samples),
                                .rows_max = static_cast<int>(rows),
                                .seed = options.seed});
  if (!options.is_json) {
    print_table(*policy, preview, options);
    return kExitOk;
  }
  JsonWriter json;
  policy::write_preview(preview, json);
  fmt::print("{}\n", json.text());
  return kExitOk;
}

}  // namespace

void add_policy_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* group = cli.add_subcommand("policy", "Look at retry policies");
  group->require_subcommand(1);

  CLI::App* list = group->add_subcommand("list", "List the presets");
  auto is_json = std::make_shared<bool>(false);
  list->add_flag("--json", *is_json, "Print JSON");
  list->callback([&chosen, is_json] { chosen = [is_json] { return list_presets(*is_json); }; });

  CLI::App* show = group->add_subcommand("show", "Print a preset as JSON");
  auto name = std::make_shared<std::string>();
  show->add_option("preset", *name, "The preset's name")->required();
  show->callback([&chosen, name] { chosen = [name] { return show_preset(*name); }; });

  CLI::App* preview = group->add_subcommand(
      "preview", "Show when the attempts of a delivery that keeps failing happen");
  auto options = std::make_shared<PreviewOptions>();
  preview->add_option("policy", options->policy, "A preset's name, JSON, or @file")->required();
  preview->add_option("--failures", options->failures, "List no more than the first N attempts")
      ->check(CLI::Range(1, policy::kAttemptsMax));
  preview->add_option("--samples", options->samples, "How often to play it through (10000)")
      ->check(CLI::Range(std::int64_t{1}, policy::kSampledAttemptsMax));
  preview->add_option("--seed", options->seed, "The same seed gives the same table (1)");
  preview->add_flag("--json", options->is_json, "Print JSON instead of a table");
  preview->callback(
      [&chosen, options] { chosen = [options] { return preview_policy(*options); }; });
}

}  // namespace petrel::app
