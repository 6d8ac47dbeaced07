#include "local/kubeapi/api_error.h"

#include <utility>

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

std::string qualified(const std::string& what, const std::string& group) {
  return group.empty() ? what : what + "." + group;
}

json details_of(const Subject& subject, const std::string& kind) {
  json details = {{"name", subject.name}, {"kind", kind}};
  if (!subject.group.empty()) details["group"] = subject.group;
  return details;
}

ApiError make(int code, const char* reason, std::string message, json details = nullptr) {
  return {.code = code,
          .reason = reason,
          .message = std::move(message),
          .details = std::move(details),
          .retry_after_seconds = {}};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : ", ").append(dump(word));
  return text;
}

}  // namespace

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

FieldError required(std::string path, std::string_view why) {
  return {std::move(path), "FieldValueRequired", "Required value" + (why.empty() ? "" : ": " + std::string(why))};
}

FieldError invalid_value(std::string path, const json& value, std::string_view why) {
  return {std::move(path), "FieldValueInvalid", "Invalid value: " + dump(value) + ": " + std::string(why)};
}

FieldError forbidden_field(std::string path, std::string_view why) {
  return {std::move(path), "FieldValueForbidden", "Forbidden: " + std::string(why)};
}

FieldError not_supported(std::string path, const json& value, const std::vector<std::string>& supported) {
  return {std::move(path), "FieldValueNotSupported",
          "Unsupported value: " + dump(value) + ": supported values: " + joined(supported)};
}

FieldError not_found_value(std::string path, const json& value) {
  return {std::move(path), "FieldValueNotFound", "Not found: " + dump(value)};
}

FieldError duplicate_value(std::string path, const json& value) {
  return {std::move(path), "FieldValueDuplicate", "Duplicate value: " + dump(value)};
}

json ApiError::status() const {
  json object = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                 {"status", "Failure"}, {"message", message}, {"reason", reason},
                 {"code", code}};
  if (details.is_object()) object["details"] = details;
  if (retry_after_seconds) object["details"]["retryAfterSeconds"] = *retry_after_seconds;
  return object;
}

ApiError not_found(const Subject& subject) {
  return make(404, "NotFound", qualified(subject.plural, subject.group) + " \"" + subject.name + "\" not found",
              details_of(subject, subject.plural));
}

ApiError already_exists(const Subject& subject) {
  return make(409, "AlreadyExists",
              qualified(subject.plural, subject.group) + " \"" + subject.name + "\" already exists",
              details_of(subject, subject.plural));
}

ApiError conflict(const Subject& subject, std::string_view why) {
  return make(409, "Conflict",
              "Operation cannot be fulfilled on " + qualified(subject.plural, subject.group) + " \"" + subject.name +
                  "\": " + std::string(why),
              details_of(subject, subject.plural));
}

ApiError stale_version(const Subject& subject) {
  return conflict(subject,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

ApiError invalid(const Subject& subject, const std::vector<FieldError>& errors) {
  json causes = json::array();
  std::string text;
  for (const auto& error : errors) {
    causes.push_back({{"reason", error.reason}, {"message", error.message}, {"field", error.path}});
    text.append(text.empty() ? "" : ", ").append(error.path).append(": ").append(error.message);
  }
  if (errors.size() > 1) text = "[" + text + "]";
  json details = details_of(subject, subject.kind);
  details["causes"] = std::move(causes);
  return make(422, "Invalid", qualified(subject.kind, subject.group) + " \"" + subject.name + "\" is invalid: " + text,
              std::move(details));
}

ApiError forbidden(const Subject& subject, std::string_view why) {
  return make(403, "Forbidden",
              qualified(subject.plural, subject.group) + " \"" + subject.name + "\" is forbidden: " + std::string(why),
              details_of(subject, subject.plural));
}

ApiError bad_request(std::string message) {
  return make(400, "BadRequest", std::move(message));
}

ApiError unauthorized() {
  return make(401, "Unauthorized", "Unauthorized");
}

ApiError expired(std::string message) {
  return make(410, "Expired", std::move(message));
}

ApiError too_old(std::uint64_t asked, std::uint64_t oldest) {
  return expired("too old resource version: " + std::to_string(asked) + " (" + std::to_string(oldest) + ")");
}

ApiError too_large_version(std::uint64_t asked, std::uint64_t current) {
  json details = {{"causes", {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}}}};
  ApiError error =
      make(504, "Timeout",
           "Timeout: Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(current),
           std::move(details));
  error.retry_after_seconds = 1;
  return error;
}

ApiError unknown_path() {
  return make(404, "NotFound", "the server could not find the requested resource", json::object());
}

ApiError method_not_allowed() {
  return make(405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
              json::object());
}

ApiError unsupported_media_type(std::string message) {
  return make(415, "UnsupportedMediaType", std::move(message));
}

ApiError unavailable(std::string message) {
  ApiError error = make(503, "ServiceUnavailable", std::move(message));
  error.retry_after_seconds = 1;
  return error;
}

ApiError internal_error(std::string_view message) {
  return make(500, "InternalError", "Internal error occurred: " + std::string(message));
}

}  // namespace det::local::kubeapi
