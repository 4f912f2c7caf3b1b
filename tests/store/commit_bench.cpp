// Measures what a message costs the embedded store: accepted in batches, settled in batches, every
// batch synced. A few batches are under way at once, as they are with several event loops.
//
//   commit_bench FOLDER [messages [batch [under-way]]]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sys/resource.h>

#include "harness.h"

namespace petrel::store {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Load {
  std::size_t messages = 200'000;
  std::size_t batch = 64;
  std::size_t under_way = 2;
};

// Hands the batches over, `under_way` of them at a time, and returns when all are answered.
template <typename Answer, typename Batch, typename Call>
void run(std::vector<Batch>& batches, std::size_t under_way, Call call) {
  std::deque<std::future<Answer>> waiting;
  for (Batch& batch : batches) {
    if (waiting.size() == under_way) {
      CHECK(waiting.front().get().ok());
      waiting.pop_front();
    }
    auto promise = std::make_shared<std::promise<Answer>>();
    waiting.push_back(promise->get_future());
    call(std::move(batch), [promise](Answer answer) { promise->set_value(std::move(answer)); });
  }
  for (std::future<Answer>& answer : waiting) CHECK(answer.get().ok());
}

void measure(RocksStore& store, const Load& load) {
  const SystemClock clock;
  Maker make;
  const ApplicationId application = make.application_id();
  std::vector<EndpointId> endpoints;
  for (int i = 0; i < 1000; ++i) endpoints.push_back(make.endpoint_id());

  std::vector<std::vector<Acceptance>> accepts;
  std::vector<std::vector<model::Settlement>> settles;
  WallTime now = kNoon;
  for (std::size_t i = 0; i < load.messages; ++i) {
    if (i % load.batch == 0) accepts.emplace_back(), settles.emplace_back();
    now += std::chrono::microseconds(50);
    Acceptance acceptance = make.acceptance(application, {endpoints[i % endpoints.size()]}, now);
    std::string body = "{\"id\":\"" + acceptance.message.id.text() + "\",\"pad\":\"";
    while (body.size() < 1000) body += MessageId(make.ksuid(now)).text();
    acceptance.payload = std::make_shared<const std::string>(body.substr(0, 1022) + "\"}");
    settles.back().push_back(make.delivered(acceptance.deliveries[0]));
    accepts.back().push_back(std::move(acceptance));
  }

  const auto report = [&](const char* what, MonoTime began, double cpu_before) {
    const double seconds = std::chrono::duration<double>(clock.mono() - began).count();
    const double cpu = cpu_seconds() - cpu_before;
    const auto count = static_cast<double>(load.messages);
    std::printf("%-8s %9.0f /s  %6.2f CPU us each\n", what, count / seconds, cpu / count * 1e6);
  };
  const MonoTime began = clock.mono();
  const double cpu_began = cpu_seconds();
  run<Result<std::vector<Accepted>>>(accepts, load.under_way, [&](auto batch, auto done) {
    store.accept(std::move(batch), std::move(done));
  });
  report("accept", began, cpu_began);
  const MonoTime middle = clock.mono();
  const double cpu_middle = cpu_seconds();
  run<Result<std::vector<Settled>>>(settles, load.under_way, [&](auto batch, auto done) {
    store.settle(std::move(batch), std::move(done));
  });
  report("settle", middle, cpu_middle);
  report("both", began, cpu_began);
}

}  // namespace
}  // namespace petrel::store

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: commit_bench FOLDER [messages [batch [under-way]]]\n");
    return 2;
  }
  petrel::store::Load load;
  if (count > 2) load.messages = std::strtoul(words[2], nullptr, 10);
  if (count > 3) load.batch = std::strtoul(words[3], nullptr, 10);
  if (count > 4) load.under_way = std::strtoul(words[4], nullptr, 10);
  petrel::store::RocksSettings settings;
  settings.path = words[1];
  const petrel::SystemClock clock;
  const auto store = petrel::store::open_rocks(settings, clock);
  if (!store) return 1;
  measure(*store, load);
  return 0;
}
