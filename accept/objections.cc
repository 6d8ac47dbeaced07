#include "accept/objections.h"

#include <algorithm>
#include <utility>

namespace det::accept {

Objection refuse(RefusalReason reason, Part part, Error error) {
  return {.reason = reason, .part = part, .errors = {std::move(error)}};
}

Objection refuse(RefusalReason reason, Part part, std::string field, std::string message) {
  Objection refused{.reason = reason, .part = part};
  add_field_error(refused.errors, field, std::move(message));
  return refused;
}

Objection wrong_config(FieldErrors errors) {
  Objection wrong{.reason = RefusalReason::kInvalidConfig, .errors = std::move(errors)};
  // The pool may be on its way, in the same `kubectl apply` even.
  wrong.may_pass =
      std::ranges::all_of(wrong.errors, [](const Error& error) { return error.field == model::kPoolField; });
  if (wrong.may_pass) wrong.reason = RefusalReason::kResourcePoolNotFound;
  return wrong;
}

std::string_view to_string(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kTemplateNotFound:
      return "TemplateNotFound";
    case RefusalReason::kProjectNotFound:
      return "ProjectNotFound";
    case RefusalReason::kProjectArchived:
      return "ProjectArchived";
    case RefusalReason::kWorkspaceNotFound:
      return "WorkspaceNotFound";
    case RefusalReason::kNothingToShow:
      return "NothingToShow";
    case RefusalReason::kResourcePoolNotFound:
      return "ResourcePoolNotFound";
    case RefusalReason::kInvalidConfig:
      return "InvalidConfig";
    case RefusalReason::kConfigPolicy:
      return "ConfigPolicy";
    case RefusalReason::kInvalidContext:
      return "InvalidContext";
    case RefusalReason::kContextNotFound:
      return "ContextNotFound";
    case RefusalReason::kContextNotSupported:
      return "ContextNotSupported";
    case RefusalReason::kPodRejected:
      return "PodRejected";
  }
  return "";
}

}  // namespace det::accept
