#include "app/task_watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/client/json_view.h"
#include "app/client/text_table.h"
#include "app/command.h"
#include "app/progress_bar.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/duration_text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);

bool has_ended(const JsonValue& task) {
  const std::string state = text_at(task, "state");
  const std::string status = text_at(task, "status");
  return state == "finished" || state == "failed" || state == "cancelled" ||
         (state.empty() && status != "running");
}

std::string look_again(const std::string& application, const std::string& task) {
  return fmt::format("{}{}", application.empty() ? "" : printable(application, 80) + " ", task);
}

}  // namespace

std::string task_path(const std::string& application, const std::string& task) {
  const std::string base = application.empty() ? "" : "/app/" + escaped(application);
  return base + "/background-task" + (task.empty() ? "" : "/" + escaped(task));
}

double progress_share(const JsonValue& task) {
  const auto total = static_cast<double>(number_at(task, "data.total"));
  const auto past =
      static_cast<double>(number_at(task, "data.done") + number_at(task, "data.skipped"));
  return total <= 0 ? 0 : std::clamp(past / total, 0.0, 1.0);
}

std::string progress_text(const JsonValue& task) {
  std::string text = grouped(number_at(task, "data.done"));
  if (is_there(task, "data.total")) text += " of " + grouped(number_at(task, "data.total"));
  if (is_there(task, "data.ratePerMinute")) {
    text += fmt::format(", {} a minute", grouped(number_at(task, "data.ratePerMinute")));
  }
  if (is_there(task, "data.secondsLeft")) {
    const std::int64_t seconds =
        std::clamp<std::int64_t>(number_at(task, "data.secondsLeft"), 0, 1'000'000'000);
    text += fmt::format(", {} left", to_words(std::chrono::seconds(seconds)));
  }
  if (text_at(task, "state") == "paused") text += ", paused";
  const std::string waits_for = printable(text_at(task, "data.waitsFor"), 120);
  return waits_for.empty() ? text : text + "; " + waits_for;
}

std::string outcome_text(const JsonValue& task) {
  const std::int64_t done = number_at(task, "data.done");
  const bool is_discard = is_there(task, "data.discarded");
  std::string text = fmt::format("{} {}", grouped(done), is_discard ? "discarded" : "sent again");
  const std::int64_t succeeded = number_at(task, "data.succeeded");
  const std::int64_t failed = number_at(task, "data.failed");
  if (!is_discard && succeeded + failed > 0) {
    text += fmt::format(": {} delivered at the first attempt, {} failed at it", grouped(succeeded),
                        grouped(failed));
  }
  if (const std::int64_t skipped = number_at(task, "data.skipped"); skipped > 0) {
    text += fmt::format("; {} skipped", grouped(skipped));
  }
  return text;
}

Result<int> watch_task(ApiClient& api, const std::string& application, const std::string& task,
                       bool is_json) {
  const SystemClock clock;
  ApiAnswer seen;
  bool is_left = false;
  {
    ProgressBar bar(clock, is_terminal(stderr) ? stderr : nullptr);
    while (true) {
      Result<ApiAnswer> answer = api.get(task_path(application, task));
      is_left = api.interrupt().came();
      if (!answer.ok() && !is_left) return answer.error();
      if (answer.ok()) seen = *std::move(answer);
      if (is_left || has_ended(seen.json)) break;
      bar.show(progress_share(seen.json), progress_text(seen.json));
      is_left = api.interrupt().wait(kLookEvery);
      if (is_left) break;
    }
  }
  if (is_json) fmt::print("{}\n", seen.text.empty() ? "{}" : seen.text);
  if (is_left) {
    fmt::print(stderr,
               "{} goes on in the server.\n  petrel replay --watch {}   looks at it again\n"
               "  petrel replay --cancel {}   ends it\n",
               task, look_again(application, task), look_again(application, task));
    return int{kExitOk};
  }
  const std::string state = text_at(seen.json, "state");
  if (!is_json) {
    const std::string why = printable(text_at(seen.json, "data.why"));
    fmt::print("{}: {}{}{}\n", printable(state, 40), outcome_text(seen.json),
               why.empty() ? "" : ": ", why);
  }
  return int{state == "finished" ? kExitOk : kExitFailure};
}

}  // namespace petrel::app
