#pragma once

// Bodies as JSON. Large ones are parsed on a pool: everybody waits for the io thread. Belongs to the io thread.

#include <string_view>
#include <utility>

#include "api/call.h"
#include "base/guarded_work.h"
#include "wire/request_fields.h"

namespace det::api {

// Parsed where they are; more would hold up everybody else.
inline constexpr std::size_t kParsedAtOnce = std::size_t{64} << 10;

// read(body), on the pool when the body is large. The request outlives it.
template <typename Read>
Task<std::invoke_result_t<Read, std::string_view>> read_body(ApiServices& services, const http::Request& request,
                                                             Read read) {
  const std::string_view body = request.body.view();
  if (body.size() <= kParsedAtOnce) co_return read(body);
  auto work = [body, read = std::move(read)] { return read(body); };
  co_return co_await run_guarded(services.workers, std::move(work));
}

// A JSON object, as wire::parse_body reads it.
inline Task<Result<wire::Json>> parse_body(ApiServices& services, Call call) {
  return read_body(services, call.request, [](std::string_view body) { return wire::parse_body(body); });
}

}  // namespace det::api
