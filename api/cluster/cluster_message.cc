// What administrators tell everybody.

#include <algorithm>

#include "api/cluster/cluster_notice.h"
#include "api/cluster/routes.h"
#include "base/duration_text.h"
#include "base/wall_time.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kLongestMessage = 250;  // characters

std::int64_t characters(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::unexpected<Error> wrong(const std::string& message, std::string field) {
  return fail(ErrorCode::kInvalidArgument, message, std::move(field));
}

Result<std::optional<WallTime>> read_time(wire::RequestFields& fields, const std::string& name) {
  const auto text = fields.string(name);
  if (!text) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  if (!time) return wrong(name + ": '" + *text + "' is no time such as 2026-10-26T23:17:12Z", name);
  return time;
}

Result<store::ClusterMessage> read_message(const wire::Json& body, WallTime now) {
  wire::RequestFields fields(body);
  fields.require("message");
  store::ClusterMessage message;
  message.text = fields.string("message").value_or("");
  const auto start = read_time(fields, "startTime");
  const auto end = read_time(fields, "endTime");
  const auto duration = fields.string("duration");
  DET_TRY(fields.status());
  DET_TRY(start);
  DET_TRY(end);
  message.start = start->value_or(now);
  message.end = *end;
  if (*end && duration) return wrong("EndTime and Duration are mutually exclusive", "duration");
  if (duration) {
    const auto span = parse_duration_text(*duration);
    if (!span || span->count() < 0) {
      return wrong("Duration must be a Go-formatted duration string with a positive value", "duration");
    }
    message.end = message.start + std::chrono::duration_cast<WallTime::duration>(*span);
  }
  if (const auto length = characters(message.text); length > kLongestMessage) {
    return wrong(
        "message must be at most " + std::to_string(kLongestMessage) + " characters; got " + std::to_string(length),
        "message");
  }
  if (message.end && *message.end < message.start) return wrong("end time must be after start time", "endTime");
  if (message.end && *message.end < now) return wrong("end time must be after current time", "endTime");
  return message;
}

}  // namespace

Task<Result<http::Response>> get_cluster_message(ApiServices& services, Call) {
  const auto message = co_await services.stores.cluster_messages.find();
  DET_CO_TRY(message);
  if (!*message) co_return ok();
  co_return ok({{"clusterMessage", cluster_message_json(**message)}});
}

Task<Result<http::Response>> set_cluster_message(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  auto message = read_message(*body, services.clock.wall_now());
  DET_CO_TRY(message);
  call.note.object = "cluster message";
  DET_CO_TRY(co_await services.stores.cluster_messages.set(std::move(*message), call.caller.user.id));
  services.cluster_notice.forget();
  co_return ok();
}

Task<Result<http::Response>> clear_cluster_message(ApiServices& services, Call call) {
  call.note.object = "cluster message";
  DET_CO_TRY(co_await services.stores.cluster_messages.clear());
  services.cluster_notice.forget();
  co_return ok();
}

}  // namespace det::api::routes
