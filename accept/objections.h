#pragma once

// How the gates put what is wrong. Pure.

#include "accept/submission.h"

namespace det::accept {

[[nodiscard]] Objection refuse(RefusalReason reason, Part part, Error error);
// With a field of `part`.
[[nodiscard]] Objection refuse(RefusalReason reason, Part part, std::string field, std::string message);
// Of a configuration. That its pool is not there may pass.
[[nodiscard]] Objection wrong_config(FieldErrors errors);

}  // namespace det::accept
