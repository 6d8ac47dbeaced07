#include <algorithm>

#include "api/allocations/routes.h"
#include "api/arguments.h"
#include "wire/request_fields.h"

namespace det::api::routes {
namespace {

// SHA-1 or SHA-256, as git writes them.
bool is_commit(const std::string& text) {
  const bool is_hex =
      std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return is_hex && (text.size() == 40 || text.size() == 64);
}

Result<http::Response> answer(const Result<std::string>& commit) {
  DET_TRY(commit);
  return ok({{"commit", *commit}});
}

}  // namespace

// Which commit of its repository the pods of an experiment train; harness/fetch_code.py asks. Empty: none is settled.
Task<Result<http::Response>> find_code_commit(ApiServices& services, Call call) {
  co_return answer(co_await services.stores.code_pins.find(path_text(call.request, "id")));
}

// What a pod found its branch or tag to be. Answers the commit to use, which may be another pod's.
Task<Result<http::Response>> pin_code_commit(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const std::string commit = fields.string("commit").value_or("");
  DET_CO_TRY(fields.status());
  if (!is_commit(commit)) {
    co_return fail(ErrorCode::kInvalidArgument, "'" + commit + "' is not a commit: 40 or 64 hexadecimal digits",
                   "commit");
  }
  co_return answer(co_await services.stores.code_pins.pin(path_text(call.request, "id"), commit));
}

}  // namespace det::api::routes
