#pragma once

// Takes Experiment objects through the gate once, and freezes what they will run as a row. After that the row is the
// truth and the object's later edits are only wishes. Belongs to the io thread.

#include <string>
#include <utility>
#include <variant>

#include "accept/gate.h"
#include "operator/experiment/experiment_status.h"
#include "operator/services.h"

namespace det::op {

class Acceptor {
 public:
  // `default_owner`: whose experiments those are that people make with kubectl.
  Acceptor(Services& services, std::string default_owner);

  // The row of the object, made now if need be. An Objection is for the person who wrote the object; an Error means
  // that this could not be found out now. Safe to repeat.
  Task<Result<std::variant<store::ExperimentRow, Objection>>> accept(ExperimentView object);

 private:
  Task<Result<store::ExperimentRow>> insert(ExperimentView object, accept::Accepted accepted);
  Task<Result<model::UserId>> owner();

  Services& services_;
  std::string default_owner_;
};

// As conditions tell it. Pure.
[[nodiscard]] Objection condition_of(const accept::Objection& objection);

}  // namespace det::op
