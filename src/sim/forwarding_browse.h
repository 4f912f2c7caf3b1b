// ForwardingBrowse reads from another Browse, as long as may_read() says so: what a simulated disk
// shows to the node is what the platters hold, or nothing.
//
// Thread: confined.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/browse.h"

namespace petrel::sim {

class ForwardingBrowse : public store::Browse {
 public:
  explicit ForwardingBrowse(store::Browse& inner) : inner_(&inner) {}

  using Page = store::Page;
  template <typename T>
  using Listed = store::Listed<T>;

  Result<std::vector<model::Application>> all_applications() override {
    return ask([&] { return inner_->all_applications(); });
  }
  Result<std::vector<model::Endpoint>> all_endpoints() override {
    return ask([&] { return inner_->all_endpoints(); });
  }
  Result<std::vector<model::EventType>> all_event_types() override {
    return ask([&] { return inner_->all_event_types(); });
  }
  Result<model::Application> application(ApplicationId id) override {
    return ask([&] { return inner_->application(id); });
  }
  Result<model::Endpoint> endpoint(EndpointId id) override {
    return ask([&] { return inner_->endpoint(id); });
  }
  Result<model::EventType> event_type(OrganisationId organisation, std::string_view name) override {
    return ask([&] { return inner_->event_type(organisation, name); });
  }
  Result<std::optional<store::KnownAnswer>> kept_answer(std::string_view key) override {
    return ask([&] { return inner_->kept_answer(key); });
  }
  Result<std::vector<store::RevokeToken>> revoked_tokens() override {
    return ask([&] { return inner_->revoked_tokens(); });
  }
  Result<KeptLanes> kept_lanes() override {
    return ask([&] { return inner_->kept_lanes(); });
  }
  Result<std::vector<model::Suspect>> suspects() override {
    return ask([&] { return inner_->suspects(); });
  }
  Result<model::Message> message(ApplicationId application, MessageId id) override {
    return ask([&] { return inner_->message(application, id); });
  }
  Result<MessageId> message_by_event_id(ApplicationId application,
                                        std::string_view event_id) override {
    return ask([&] { return inner_->message_by_event_id(application, event_id); });
  }
  Result<Listed<model::Message>> messages(ApplicationId application, Page page) override {
    return ask([&] { return inner_->messages(application, page); });
  }
  Result<model::Payload> payload(MessageId id) override {
    return ask([&] { return inner_->payload(id); });
  }
  Result<model::Delivery> delivery(model::DeliveryKey key) override {
    return ask([&] { return inner_->delivery(key); });
  }
  Result<Listed<model::Delivery>> deliveries_of_endpoint(EndpointId endpoint, Page page) override {
    return ask([&] { return inner_->deliveries_of_endpoint(endpoint, page); });
  }
  Result<std::vector<model::Delivery>> deliveries_of_message(MessageId message) override {
    return ask([&] { return inner_->deliveries_of_message(message); });
  }
  Result<std::vector<model::Delivery>> first_waiting(EndpointId endpoint) override {
    return ask([&] { return inner_->first_waiting(endpoint); });
  }
  Result<Listed<model::Delivery>> dead_letters(store::DeadQuery query) override {
    return ask([&] { return inner_->dead_letters(query); });
  }
  Result<Listed<model::Attempt>> attempts_of_message(MessageId message, store::AttemptFilter filter,
                                                     Page page) override {
    return ask([&] { return inner_->attempts_of_message(message, filter, page); });
  }
  Result<Listed<model::Attempt>> attempts_of_endpoint(EndpointId endpoint,
                                                      store::AttemptFilter filter,
                                                      Page page) override {
    return ask([&] { return inner_->attempts_of_endpoint(endpoint, filter, page); });
  }
  Result<model::Task> task(OrganisationId organisation, TaskId id) override {
    return ask([&] { return inner_->task(organisation, id); });
  }
  Result<Listed<model::Task>> tasks(OrganisationId organisation, Page page) override {
    return ask([&] { return inner_->tasks(organisation, page); });
  }
  Result<std::vector<model::Task>> tasks_under_way() override {
    return ask([&] { return inner_->tasks_under_way(); });
  }
  Result<store::EndpointTally> tally(EndpointId endpoint) override {
    return ask([&] { return inner_->tally(endpoint); });
  }
  store::EndpointTally totals() override { return inner_->totals(); }
  std::vector<store::QueueDepth> deepest(std::size_t most) override {
    return inner_->deepest(most);
  }
  Result<store::KeptSizes> kept(std::optional<ApplicationId> application) override {
    return ask([&] { return inner_->kept(application); });
  }
  Result<std::vector<store::HourTally>> hours(EndpointId endpoint, WallTime since,
                                              WallTime until) override {
    return ask([&] { return inner_->hours(endpoint, since, until); });
  }
  Result<store::StoreCounts> count() override {
    return ask([&] { return inner_->count(); });
  }

 protected:
  // Asked once for every question.
  virtual bool may_read() = 0;

  void read_from(store::Browse& inner) { inner_ = &inner; }

 private:
  template <typename Ask>
  auto ask(Ask question) -> decltype(question()) {
    if (!may_read()) return unavailable("the simulated disk does not answer");
    return question();
  }

  store::Browse* inner_;
};

}  // namespace petrel::sim
