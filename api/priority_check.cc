#include "api/priority_check.h"

namespace det::api {

Status check_has_priorities(const model::MasterConfig& master) {
  using Kind = model::GangBackendKind;
  const Kind kind = master.scheduler.type;
  if (kind == Kind::kOwn || kind == Kind::kAuto) return {};
  return fail(ErrorCode::kInvalidArgument,
              "priority: it has no effect with scheduler.type " + std::string(to_string(kind)) + kPriorityClasses,
              "priority");
}

}  // namespace det::api
