// What a program says of its own run: core_context.train.set_metadata.

#include "api/arguments.h"
#include "api/body.h"
#include "api/trials/routes.h"
#include "api/trials/run_metadata_rules.h"
#include "wire/request_fields.h"

namespace det::api::routes {

Task<Result<http::Response>> get_run_metadata(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto row = co_await services.stores.trials.find(model::TrialId{*id});
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "run '" + std::to_string(*id) + "' not found");
  const auto metadata = co_await services.stores.run_metadata.find(model::TrialId{*id});
  DET_CO_TRY(metadata);
  co_return ok({{"metadata", *metadata}});
}

Task<Result<http::Response>> set_run_metadata(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto read = [](std::string_view text) -> Result<wire::Json> {
    const auto body = wire::parse_body(text);
    DET_TRY(body);
    wire::RequestFields fields(*body);
    fields.require("metadata");
    DET_TRY(fields.status());
    const wire::Json& metadata = *fields.any("metadata");
    if (!metadata.is_object()) {
      return fail(ErrorCode::kInvalidArgument, "metadata: expected an object, got " + std::string(metadata.type_name()),
                  "metadata");
    }
    DET_TRY(check_run_metadata(metadata));
    return metadata;
  };
  auto metadata = co_await read_body(services, call.request, read);
  DET_CO_TRY(metadata);
  DET_CO_TRY(co_await services.stores.run_metadata.set(model::TrialId{*id}, *metadata));
  co_return ok({{"metadata", std::move(*metadata)}});
}

}  // namespace det::api::routes
