#pragma once

// Takes Experiment objects through the gate once, and freezes what they will run as a row. After that the row is the
// truth and the object's later edits are only wishes. Belongs to the io thread.

#include <string>
#include <utility>
#include <variant>

#include "accept/gate.h"
#include "operator/experiment/experiment_status.h"
#include "operator/refusal.h"
#include "operator/services.h"

namespace det::op {

class Acceptor {
 public:
  // `default_owner`: whose experiments those are that people make with kubectl.
  Acceptor(OperatorServices& services, std::string default_owner);

  // The row of the object, made now if need be. A Refusal is for the person who wrote the object; an Error means
  // that this could not be found out now. Safe to repeat.
  Task<Result<std::variant<store::ExperimentRow, Refusal>>> accept(ObservedExperiment object);

 private:
  Task<Result<store::ExperimentRow>> insert(ObservedExperiment object, accept::Accepted accepted, model::UserId owner);

  OperatorServices& services_;
  std::string default_owner_;
};

}  // namespace det::op
