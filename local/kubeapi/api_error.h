#pragma once

// Refusals as Kubernetes words them: metav1.Status with the real server's reasons, texts and field causes, because
// clients branch on them (k8sclient/api_error.cc, kubectl, client-go). Pure values; any thread.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::local::kubeapi {

// One wrong field: "spec.config", "FieldValueInvalid", "Invalid value: ...".
struct FieldError {
  std::string path;
  std::string reason;
  std::string message;

  bool operator==(const FieldError&) const = default;
};

[[nodiscard]] FieldError required(std::string path, std::string_view why = {});
// `value` is shown as JSON.
[[nodiscard]] FieldError invalid_value(std::string path, const nlohmann::json& value, std::string_view why);
[[nodiscard]] FieldError forbidden_field(std::string path, std::string_view why);
[[nodiscard]] FieldError not_supported(std::string path, const nlohmann::json& value,
                                       const std::vector<std::string>& supported);
[[nodiscard]] FieldError not_found_value(std::string path, const nlohmann::json& value);
[[nodiscard]] FieldError duplicate_value(std::string path, const nlohmann::json& value);

struct ApiError {
  int code = 500;
  std::string reason;
  std::string message;
  nlohmann::json details;  // an object, or null
  std::optional<int> retry_after_seconds;

  // The Status object that clients get.
  [[nodiscard]] nlohmann::json status() const;
};

template <typename T>
using ApiResult = std::expected<T, ApiError>;

// What a refusal is about: `plural` and `kind` without the group, which is added where the real server adds it.
struct Subject {
  std::string group;
  std::string plural;
  std::string kind;
  std::string name;
};

[[nodiscard]] ApiError not_found(const Subject& subject);
[[nodiscard]] ApiError already_exists(const Subject& subject);
// "Operation cannot be fulfilled on configmaps "a": " + why
[[nodiscard]] ApiError conflict(const Subject& subject, std::string_view why);
[[nodiscard]] ApiError stale_version(const Subject& subject);
// `errors` is not empty.
[[nodiscard]] ApiError invalid(const Subject& subject, const std::vector<FieldError>& errors);
[[nodiscard]] ApiError forbidden(const Subject& subject, std::string_view why);
[[nodiscard]] ApiError bad_request(std::string message);
[[nodiscard]] ApiError unauthorized();
[[nodiscard]] ApiError expired(std::string message);
// "too old resource version: 1 (266)".
[[nodiscard]] ApiError too_old(std::uint64_t asked, std::uint64_t oldest);
[[nodiscard]] ApiError too_large_version(std::uint64_t asked, std::uint64_t current);
[[nodiscard]] ApiError unknown_path();
[[nodiscard]] ApiError method_not_allowed();
[[nodiscard]] ApiError unsupported_media_type(std::string message);
[[nodiscard]] ApiError unavailable(std::string message);
[[nodiscard]] ApiError internal_error(std::string_view message);

// Bytes that are not UTF-8 become U+FFFD instead of an exception.
[[nodiscard]] std::string dump(const nlohmann::json& value);

}  // namespace det::local::kubeapi
