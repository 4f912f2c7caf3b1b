#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

// Every post is one message, however often it was posted: without a key it is posted only once.
class Idempotency final : public Checker {
 public:
  using Checker::Checker;

  void written(const store::Acceptance& acceptance) override {
    const std::string& post = acceptance.message.event_type;
    const auto [place, is_new] = messages_.try_emplace(post, acceptance.message.id);
    if (is_new) return;
    accuse(Property::Idempotency, fmt::format("{} was written as a second message", post));
  }

  void promised(std::size_t post, MessageId message) override {
    const auto found = messages_.find(fmt::format("post.{}", post));
    if (found == messages_.end() || found->second == message) return;
    accuse(Property::Idempotency, fmt::format("post {} was told of another message", post));
  }

 private:
  std::unordered_map<std::string, MessageId> messages_;
};

}  // namespace

std::unique_ptr<Checker> idempotency(Court& court) { return std::make_unique<Idempotency>(court); }

}  // namespace petrel::sim::check
