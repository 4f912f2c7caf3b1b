#include "node/attempt_label.h"

namespace petrel::node {

metric::AttemptLabel label_of(const policy::Outcome& outcome, bool is_success) {
  using metric::AttemptLabel;
  if (is_success) return AttemptLabel::Success;
  switch (outcome.kind()) {
    case policy::Outcome::Kind::Answered:
      return AttemptLabel::Failure;
    case policy::Outcome::Kind::Blocked:
      return AttemptLabel::Blocked;
    case policy::Outcome::Kind::OurFault:
      return AttemptLabel::OurFault;
    case policy::Outcome::Kind::Failed:
      break;
  }
  switch (outcome.failure()) {
    case policy::FailureKind::Dns:
      return AttemptLabel::Dns;
    case policy::FailureKind::Connect:
      return AttemptLabel::Connect;
    case policy::FailureKind::Tls:
      return AttemptLabel::Tls;
    case policy::FailureKind::Timeout:
      return AttemptLabel::Timeout;
    case policy::FailureKind::Reset:
      return AttemptLabel::Reset;
    case policy::FailureKind::Protocol:
      return AttemptLabel::Protocol;
  }
  return AttemptLabel::Failure;
}

}  // namespace petrel::node
