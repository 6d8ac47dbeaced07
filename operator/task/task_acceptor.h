#pragma once

// Takes Task objects through the gate once, and freezes what they will run as a row. After that the row is the truth
// and the object's later edits are only wishes. Belongs to the io thread.

#include <string>
#include <variant>

#include "accept/task_submission.h"
#include "operator/refusal.h"
#include "operator/services.h"
#include "operator/task/task_view.h"
#include "store/tasks/task_rows.h"

namespace det::op {

class TaskAcceptor {
 public:
  // `owner`: whose tasks those are that people make with kubectl.
  TaskAcceptor(OperatorServices& services, std::string owner) : services_(services), default_owner_(std::move(owner)) {}

  // The row of the object, made now if need be. A Refusal is for the person who wrote the object; an Error means that
  // this could not be found out now. Safe to repeat.
  Task<Result<std::variant<store::TaskRow, Refusal>>> accept(ObservedTask object);

 private:
  Task<Result<store::TaskRow>> insert(ObservedTask object, accept::AcceptedTask accepted, model::UserId owner);

  OperatorServices& services_;
  std::string default_owner_;
};

}  // namespace det::op
