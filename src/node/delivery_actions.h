// DeliveryActions is what a person does to one delivery: send it again, or take it off the list of
// dead letters.
//
// Thread: called on any; answers on the control loop. Must outlive the store's last answer.

#pragma once

#include <cstdint>
#include <memory>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/id.h"
#include "base/loop.h"
#include "base/result.h"
#include "model/delivery.h"
#include "node/changes.h"
#include "node/lane_mail.h"
#include "store/browse.h"
#include "store/store.h"

namespace petrel::node {

enum class Resent : std::uint8_t {
  Done,
  HasNoPayload,  // It was expunged, or has expired.
};

class DeliveryActions {
 public:
  struct Parts {
    Loop& control;
    const Clock& clock;
    BlockingPool& pool;
    store::Store& store;
    store::Browse& browse;
    LaneMail& lanes;
    Changes& changes;
  };

  explicit DeliveryActions(const Parts& parts) : parts_(parts) {}
  DeliveryActions(const DeliveryActions&) = delete;
  DeliveryActions& operator=(const DeliveryActions&) = delete;

  // Sends the message to the endpoint again, or for the first time if it was not for it. What is
  // live is only brought forward: an attempt in flight may end it.
  //
  // REQUIRES: the message and the endpoint are of the application.
  using ResentDone = Function<void(Result<Resent>)>;
  void resend(ApplicationId application, model::DeliveryKey delivery, ResentDone done);

  // NotFound if it is no dead letter.
  using DiscardDone = Function<void(Status)>;
  void discard(model::DeliveryKey delivery, DiscardDone done);

 private:
  // One resend on its way.
  struct Resending {
    ApplicationId application;
    model::DeliveryKey delivery;
    ResentDone done;
    int looks = 0;
    bool was_live = false;  // When the first look found it.
  };
  using ResendingPtr = std::shared_ptr<Resending>;

  // What a resend starts from.
  struct Sent {
    bool has_payload = false;
    std::optional<model::Delivery> delivery;
  };

  template <typename T>
  void read(Function<Result<T>()> ask, Function<void(Result<T>)> then);

  Result<Sent> find_sent(model::DeliveryKey key);
  void look(const ResendingPtr& resending);
  void resend(const ResendingPtr& resending, const Sent& sent);
  void add(const ResendingPtr& resending);
  void revive(const ResendingPtr& resending, const model::Settlement& settlement);

  const Parts parts_;
};

}  // namespace petrel::node
