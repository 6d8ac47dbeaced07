#include "api/users/user_fields.h"

#include <algorithm>

#include "api/views.h"
#include "base/lower_case.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestName = 128;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_printable(char c) {
  return c >= 0x20 && c < 0x7f;
}

}  // namespace

http::Response user_response(const store::UserRow& user) {
  return ok({{"user", wire::to_json(to_wire(user))}});
}

std::unexpected<Error> user_not_found(const std::string& who) {
  return fail(ErrorCode::kNotFound, "user '" + who + "' not found");
}

Result<std::string> clean_name(const std::string& name, std::size_t min_length, const store::UserRow& of,
                               const std::string& field) {
  const auto refused = [&field](const std::string& message) {
    return fail(ErrorCode::kInvalidArgument, message, field);
  };
  const std::string clean = trimmed(name);
  if (!std::ranges::all_of(clean, is_printable)) {
    return refused("Display name and username cannot contain non-ASCII characters.");
  }
  if (clean.size() < min_length) {
    return refused("Display name or username value has minimum length. " + field + " needs " +
                   std::to_string(min_length) + " characters");
  }
  if (clean.size() > kLongestName) {
    return refused(field + ": up to " + std::to_string(kLongestName) + " characters work, not " +
                   std::to_string(clean.size()));
  }
  if (!of.admin && lower_case(clean) == "admin") return refused("Non-admin user cannot be renamed 'admin'");
  if (of.username != "determined" && lower_case(clean) == "determined") {
    return refused("User cannot be renamed 'determined'");
  }
  return clean;
}

}  // namespace det::api
