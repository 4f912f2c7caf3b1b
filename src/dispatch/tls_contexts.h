// TlsContexts has a TlsContext for every TlsMaterial in use, so that nothing that belongs to one
// (a certificate, a trusted authority, a session to resume) is ever used for another.
//
// One that no connection uses and is not asked for in a while goes; and the one not asked for
// the longest when there are too many. A connection that has it keeps it: the next attempt gets
// another one for the same material.
//
// Thread: confined. Time is handed in, never read.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "base/time.h"
#include "dispatch/tls_context.h"
#include "dispatch/tls_material.h"

namespace petrel::dispatch {

class TlsContexts {
 public:
  static constexpr std::size_t kOwnMax = 1'024;

  // Long enough for a session to be resumed after a pause.
  static constexpr Duration kUnusedMax = std::chrono::minutes(10);

  // `usual` is for all that bring nothing of their own.
  explicit TlsContexts(std::shared_ptr<TlsContext> usual);

  // Fails with Invalid if the material cannot be used, Unavailable if there is no memory.
  Result<std::shared_ptr<TlsContext>> find(const TlsMaterial& material, MonoTime now);

  // Lets those go that are no longer used. Called every few seconds.
  void sweep(MonoTime now);

  // How many there are besides the usual one.
  std::size_t own() const { return own_.size(); }

 private:
  struct Own {
    std::shared_ptr<TlsContext> context;
    MonoTime asked_at;
  };

  void make_room();

  std::shared_ptr<TlsContext> usual_;
  std::unordered_map<std::string, Own> own_;  // By the id of the material.
};

}  // namespace petrel::dispatch
