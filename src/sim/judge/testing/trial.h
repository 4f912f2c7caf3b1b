// Trial drives a judge in tests: it gives evidence of an ordinary world, with one application and
// as many endpoints as are asked for, at moments of its own clock.
//
//   Trial trial;
//   const EndpointId endpoint = trial.endpoint(R"({"maxInFlight": 2})");
//   const MessageId message = trial.post();
//   trial.attempt({endpoint, message}, 200);
//   EXPECT_EQ(trial.rules(), "");
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/judge/judge.h"

namespace petrel::sim::judge {

class Trial {
 public:
  explicit Trial(const JudgeSettings& settings = strict());

  // A loop that is never late, and one second for what is allowed to be seen.
  static JudgeSettings strict();

  Judge& judge() { return judge_; }
  Moment now() const { return now_; }
  void wait(Duration time);
  void wait_until(MonoTime mono) { wait(mono - now_.mono); }
  template <typename What>
  void hear(What what) {
    const Evidence evidence{now_, std::move(what)};
    if (before_) before_(evidence);
    judge_.hear(evidence);
    if (after_) after_(evidence);
  }

  // Told of all evidence that follows, before the judge and after.
  using Listener = std::function<void(const Evidence&)>;
  void listen(Listener before, Listener after) {
    before_ = std::move(before);
    after_ = std::move(after);
  }

  // The names of the rules that were broken, each once, in order: "lost, too early".
  std::string rules() const;

  // Acts that are answered at once. ask() alone leaves the answer open.
  std::uint64_t ask(Asked asked);
  void tell(std::uint64_t number, int status = 200);
  void act(Asked asked, int status = 200) { tell(ask(std::move(asked)), status); }

  EndpointId endpoint(std::string json = R"({"url": "https://a.example/"})");
  void change(EndpointId endpoint, std::string json);
  void order(Act act, EndpointId endpoint);

  // A message for every endpoint so far, or for those given; written and answered.
  MessageId post(std::string json = R"({"eventType": "a"})");
  MessageId next_message();
  void write(const MessageId& message, EndpointId endpoint, WallTime due_at);

  // One request of the delivery; its reply; its record.
  std::uint64_t request(const DeliveryName& name, Duration loading = {});
  void reply(std::uint64_t request, Replied reply);
  void reply(std::uint64_t request, int status) { this->reply(request, Replied{.status = status}); }

  // The record that follows from the reply, live and due after `delay`, or ended.
  OnDisk record(std::uint64_t request, std::string state, std::string reason = "") const;
  OnDisk retry(std::uint64_t request, Duration delay) const;

  // All three: a success ends it, anything else is retried after `delay`.
  void attempt(const DeliveryName& name, int status, Duration delay = std::chrono::seconds(5));

  void die();
  void start();
  void stop(Duration grace);
  void dump() { hear(Dump{}); }

  ApplicationId application() const { return application_; }

 private:
  struct Kept {
    DeliveryName name;
    WallTime signed_at;
    WallTime ended_at;
    Replied reply;
  };

  Judge judge_;
  Listener before_;
  Listener after_;
  Moment now_;
  std::uint64_t next_ = 1;
  int life_ = 0;
  ApplicationId application_;
  std::vector<EndpointId> endpoints_;
  std::map<EndpointId, std::string> urls_;
  std::map<std::uint64_t, Kept> requests_;
};

}  // namespace petrel::sim::judge
