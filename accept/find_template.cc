#include "accept/find_template.h"

#include <utility>

#include "accept/objections.h"

namespace det::accept {

Task<Result<std::variant<nlohmann::json, Objection>>> find_template(store::TemplateStore& templates, std::string name) {
  using Found = std::variant<nlohmann::json, Objection>;
  if (name.empty()) co_return Found(nlohmann::json());
  auto found = co_await templates.find(name);
  DET_CO_TRY(found);
  if (*found) co_return Found(std::move((**found).config));
  Objection missing = refuse(
      RefusalReason::kTemplateNotFound, Part::kTemplate,
      {.code = ErrorCode::kNotFound, .message = "template '" + name + "' not found", .field = "", .retry_after = {}});
  missing.remedy = "create it with `det template create`";
  missing.may_pass = true;
  co_return Found(std::move(missing));
}

}  // namespace det::accept
