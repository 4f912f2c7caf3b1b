#include "dispatch/failure.h"

#include <cerrno>

#include <fmt/format.h>

#include "net/shortage.h"

namespace petrel::dispatch {
namespace {

using model::FaultCause;
using policy::FailureKind;
using policy::Outcome;

std::string_view connect_words(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "connection refused";
    case EHOSTUNREACH:
      return "host unreachable";
    case ENETUNREACH:
      return "network unreachable";
    case ETIMEDOUT:
      return "the receiver did not accept the connection";
    case ECONNRESET:
      return "connection reset while connecting";
    case EACCES:
    case EPERM:
      return "connecting is not permitted by this machine";
    default:
      return "cannot connect";
  }
}

Failure shortage(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
      return our_fault("out of file descriptors", FaultCause::Descriptors);
    case EADDRNOTAVAIL:
      return our_fault("out of local ports", FaultCause::Ports);
    default:
      return our_fault("out of memory for network buffers", FaultCause::Memory);
  }
}

}  // namespace

Failure failed(FailureKind kind, std::string_view error) {
  return {Outcome::failed(kind), std::string(error)};
}

Failure our_fault(std::string_view error, FaultCause cause) {
  return {Outcome::our_fault(), std::string(error), std::nullopt, cause};
}

Failure proxy_fault(std::string_view error) { return our_fault(error, FaultCause::Proxy); }

Failure no_descriptor() { return shortage(EMFILE); }

Failure resolver_fault(std::string_view name, Duration wait) {
  return {Outcome::our_fault(), fmt::format("our DNS resolver does not answer for {}", name), wait,
          FaultCause::Resolver};
}

Failure blocked(std::string for_operator) {
  return {.outcome = Outcome::blocked(),
          .error = "messages may not be sent to the address of this endpoint",
          .for_operator = std::move(for_operator)};
}

Failure connect_failure(int error, bool is_v4) {
  // On a machine without IPv6 this is how its addresses fail; it is no want of ports.
  if (error == EADDRNOTAVAIL && !is_v4) return failed(FailureKind::Connect, "network unreachable");
  if (net::is_shortage(error)) return shortage(error);
  return failed(FailureKind::Connect, connect_words(error));
}

Failure broken_connection(int error) {
  if (net::is_shortage(error)) return shortage(error);
  switch (error) {
    case 0:
      return failed(FailureKind::Reset, "the receiver closed the connection without a response");
    case ECONNRESET:
    case EPIPE:
      return failed(FailureKind::Reset, "the receiver reset the connection");
    default:
      return failed(FailureKind::Reset, "the connection broke");
  }
}

}  // namespace petrel::dispatch
