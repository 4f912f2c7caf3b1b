// Outcome is what came of one attempt: an answer with a status, or one of a few ways of not getting
// any. A failed attempt is a value of the domain, not an error.
//
//   Outcome::answered(503)              → "503"
//   Outcome::failed(FailureKind::Dns)   → "dns"
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petrel::policy {

// The ways of not getting an answer. The names are those of a rule's `on`.
enum class FailureKind : std::uint8_t {
  Dns,       // The name has no address, or the resolver did not say.
  Connect,   // Refused, unreachable.
  Tls,       // No handshake, or a certificate that does not verify.
  Timeout,   // The deadline of the attempt passed, whatever it was waiting for.
  Reset,     // The connection broke while we were sending or reading.
  Protocol,  // What came back is not HTTP, or more of it than we read.
};

std::string_view to_string(FailureKind kind);

class Outcome {
 public:
  enum class Kind : std::uint8_t {
    Answered,  // The receiver said something: see status().
    Failed,    // It did not: see failure().
    Blocked,   // The address guard refused the receiver's address; nothing was sent.
    OurFault,  // We could not try properly (store, descriptors, shutdown): it never counts.
  };

  // REQUIRES: 100 <= status <= 999.
  static Outcome answered(int status);
  static Outcome failed(FailureKind failure);
  static Outcome blocked() { return Outcome(Kind::Blocked, 0); }
  static Outcome our_fault() { return Outcome(Kind::OurFault, 0); }

  Kind kind() const { return kind_; }
  bool is_answer() const { return kind_ == Kind::Answered; }
  bool is_status(int status) const { return is_answer() && code_ == status; }

  // REQUIRES: kind() is Answered.
  int status() const;

  // REQUIRES: kind() is Failed.
  FailureKind failure() const;

  // "503", "dns", "blocked" or "our fault".
  std::string text() const;

  // One number for each distinct way an attempt can end, for tallies and storage: the status, or a
  // number under 100 for what is none. from_code() gives the outcome back, and our_fault() for a
  // number that means nothing.
  std::uint16_t code() const;
  static Outcome from_code(std::uint16_t code);

  friend bool operator==(const Outcome&, const Outcome&) = default;

 private:
  Outcome(Kind kind, std::uint16_t code) : kind_(kind), code_(code) {}

  Kind kind_;
  std::uint16_t code_;  // The status, or the FailureKind.
};

}  // namespace petrel::policy
