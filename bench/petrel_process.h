// PetrelProcess is a running `petrel serve` on a scratch folder, and what it has cost so far.
//
// It dies with the benchmark. Whatever fails throws std::runtime_error.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "socket.h"

namespace petrel::bench {

class PetrelProcess {
 public:
  // Starts it and comes back when it says where it listens. A token that an earlier process on the
  // same folder had still holds; without one it is made.
  PetrelProcess(const std::string& binary, const std::string& store_folder, std::string token = "",
                const std::vector<std::string>& more_arguments = {});
  ~PetrelProcess();  // Kills it, if it has not been stopped.
  PetrelProcess(const PetrelProcess&) = delete;
  PetrelProcess& operator=(const PetrelProcess&) = delete;

  // Asks it to end, and waits until it has.
  void stop();

  std::uint16_t port() const { return port_; }
  const std::string& token() const { return token_; }

  double cpu_seconds() const;  // User and system, of all its threads.
  double rss_mib() const;      // Now.
  double rss_mib_max() const;  // The most it ever was.

  // The JSON of the answer to a request that has to succeed.
  std::string call(std::string_view method, std::string_view path, std::string_view body) const;

  std::string create_application(std::string_view name) const;
  void create_endpoint(std::string_view application, std::string_view json) const;

 private:
  pid_t pid_ = -1;
  Descriptor output_;
  std::uint16_t port_ = 0;
  std::string token_;
};

}  // namespace petrel::bench
