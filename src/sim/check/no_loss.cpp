#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class NoLoss final : public Checker {
 public:
  using Checker::Checker;

  void promised(std::size_t post, MessageId message) override {
    promises_.emplace_back(post, message);
  }

  void crashed(const std::vector<Track>&, store::Browse& disk) override {
    for (const auto& [post, message] : promises_) find(post, message, disk);
  }

  void rested(const std::vector<Track>&, store::Browse& disk) override {
    for (const auto& [post, message] : promises_) {
      find(post, message, disk);
      expect_ends(post, message, disk);
    }
  }

 private:
  std::size_t application_of(std::size_t post) const { return scenario().posts[post].application; }

  // The message and what it carries.
  void find(std::size_t post, MessageId message, store::Browse& disk) {
    const ApplicationId application = scenario().applications[application_of(post)];
    const auto found = disk.message(application, message);
    const auto payload = disk.payload(message);
    if (found.ok() && payload.ok() && *payload) return;
    accuse(Property::NoLoss, fmt::format("the message of post {} was promised and is gone", post));
  }

  void expect_ends(std::size_t post, MessageId message, store::Browse& disk) {
    for (const EndpointPlan& endpoint : scenario().endpoints) {
      if (endpoint.application != application_of(post)) continue;
      Track track;
      track.key = {endpoint.id, message};
      const auto delivery = disk.delivery(track.key);
      if (!delivery.ok()) {
        accuse(Property::NoLoss,
               fmt::format("a delivery of post {} was promised and is not there", post), &track);
      } else if (delivery->is_live()) {
        accuse(Property::NoLoss, fmt::format("a delivery of post {} never ended", post), &track);
      }
    }
  }

  std::vector<std::pair<std::size_t, MessageId>> promises_;
};

}  // namespace

std::unique_ptr<Checker> no_loss(Court& court) { return std::make_unique<NoLoss>(court); }

}  // namespace petrel::sim::check
