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

  // To the shard on which the endpoints of this authority live.
  virtual void send_to_authority(const std::string& authority, ShardMail mail) = 0;

  // The endpoint is about to have another URL. Before the catalogue shows it.
  virtual void url_changes(EndpointId endpoint, const std::string& from, const std::string& to) = 0;
};

}  // namespace petrel::node
