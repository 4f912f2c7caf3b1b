#include "sim/producers.h"

#include <utility>

namespace petrel::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kPatience = seconds(30);

}  // namespace

Producers::Producers(const Parts& parts, std::uint64_t seed)
    : parts_(parts), dice_(seed), posts_(parts.scenario.posts.size()), waiting_(posts_.size()) {}

void Producers::begin() {
  for (std::size_t i = 0; i < posts_.size(); ++i) {
    parts_.world.at(parts_.scenario.posts[i].at, [this, i] { post(i); });
  }
}

void Producers::finish(std::size_t number) {
  if (std::exchange(posts_[number].is_done, true)) return;
  --waiting_;
}

void Producers::post(std::size_t number) {
  const PostPlan& plan = parts_.scenario.posts[number];
  Post& state = posts_[number];
  // The same at every try, or it would be another message.
  if (plan.deliver_after && state.tries == 0) {
    parts_.faults.add(Fault::Scheduled);
    state.deliver_at = parts_.world.clock().wall() + *plan.deliver_after;
  }
  const int attempt = ++state.tries;
  // Nobody may answer at all.
  parts_.world.after(kPatience, [this, number, attempt] {
    if (posts_[number].tries == attempt) post_again(number);
  });
  parts_.node.accept({.post = number,
                      .application = plan.application,
                      .has_key = plan.has_key,
                      .is_other_body = false,
                      .deliver_at = state.deliver_at},
                     [this, number, attempt](const Result<store::Accepted>& answer) {
                       if (posts_[number].tries == attempt) told(number, answer);
                     });
}

void Producers::told(std::size_t number, const Result<store::Accepted>& answer) {
  const PostPlan& plan = parts_.scenario.posts[number];
  Post& state = posts_[number];
  if (state.is_done) return;
  // The time to be sent at has passed while it was tried.
  if (!answer.ok() && answer.error().kind == ErrorKind::Invalid) return finish(number);
  if (!answer.ok()) return post_again(number);
  if (plan.loses_answer && state.tries == 1) {
    parts_.faults.add(Fault::AnswerLost);
    return post_again(number);
  }
  const auto kind = answer->kind;
  if (kind != store::Accepted::Kind::New && kind != store::Accepted::Kind::Repeated) {
    return post_again(number);  // For ever: its own key may not be refused.
  }
  finish(number);
  if (plan.reuses_key) reuse_key(number);
  if (plan.repeats > 0) repeat(number, plan.repeats);
}

void Producers::post_again(std::size_t number) {
  if (posts_[number].is_done) return;
  if (!parts_.scenario.posts[number].has_key) return finish(number);
  ++posts_[number].tries;  // Whoever answers the last one is not listened to any more.
  parts_.world.after(dice_.spread(seconds(1), minutes(2)), [this, number] { post(number); });
}

// Whatever it is answered.
void Producers::repeat(std::size_t number, int times) {
  const PostPlan& plan = parts_.scenario.posts[number];
  parts_.world.after(plan.repeats_every, [this, number, times] {
    parts_.faults.add(Fault::PostRepeated);
    parts_.node.accept(
        {.post = number, .application = parts_.scenario.posts[number].application, .has_key = true},
        [](const Result<store::Accepted>&) {});
    if (times > 1) repeat(number, times - 1);
  });
}

void Producers::reuse_key(std::size_t number) {
  parts_.faults.add(Fault::KeyReused);
  parts_.node.accept({.post = number,
                      .application = parts_.scenario.posts[number].application,
                      .has_key = true,
                      .is_other_body = true},
                     [](const Result<store::Accepted>&) {});
}

}  // namespace petrel::sim
