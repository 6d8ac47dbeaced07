#include "operator/refusal.h"

#include <utility>

namespace det::op {

Refusal condition_of(const accept::Objection& objection) {
  Refusal told{.reason = std::string(to_string(objection.reason)), .message = "", .may_pass = objection.may_pass};
  switch (objection.part) {
    case accept::Part::kConfig:
      told.message = join_errors(objection.errors, "spec.config");
      break;
    case accept::Part::kContext:
      told.message = join_errors(objection.errors, "spec.context");
      break;
    case accept::Part::kTemplate:
      told.message = join_errors(objection.errors, "spec.template");
      break;
    case accept::Part::kWorkspace:
      told.message = join_errors(objection.errors, "spec.workspace");
      break;
    case accept::Part::kTensorBoard:
      told.message = join_errors(objection.errors, "spec.tensorBoard");
      break;
    case accept::Part::kObject:
      told.message = join_errors(objection.errors, "");
      break;
    case accept::Part::kPod:  // not about a field of the object's
      told.message = objection.errors.front().message;
      break;
  }
  if (!objection.remedy.empty()) told.message += "; " + objection.remedy;
  return told;
}

Task<Result<store::UserRow>> default_owner(store::UserStore& users, std::string username) {
  auto user = co_await users.find_by_name(username);
  DET_CO_TRY(user);
  if (!*user) co_return fail(ErrorCode::kFailedPrecondition, "the default owner '" + username + "' is not a user");
  co_return std::move(**user);
}

}  // namespace det::op
