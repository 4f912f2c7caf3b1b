// LaneMail carries mail to lanes. What is sent to an endpoint that the catalogue does not know is
// dropped.
//
// Thread: safe.

#pragma once

#include <cstddef>

#include "node/shard_mail.h"

namespace petrel::node {

class LaneMail {
 public:
  virtual ~LaneMail() = default;

  virtual std::size_t shard_count() const = 0;

  // False if it was dropped.
  virtual bool send_to(EndpointId endpoint, ShardMail mail) = 0;
  virtual void send_to_shard(std::size_t shard, ShardMail mail) = 0;
};

}  // namespace petrel::node
