#pragma once

// What requests say of users. Pure.

#include <optional>
#include <string>

#include "api/call.h"
#include "store/users/user_store.h"
#include "wire/request_fields.h"

namespace det::api {

[[nodiscard]] http::Response user_response(const store::UserRow& user);
[[nodiscard]] std::unexpected<Error> user_not_found(const std::string& who);

// A username or display name without the spaces around it. kInvalidArgument for what is not printable ASCII (other
// letters could look like somebody's), shorter than `min_length`, longer than 128 bytes, or reserved: `admin` is an
// admin's, `determined` the first user's, as `of` is.
[[nodiscard]] Result<std::string> clean_name(const std::string& name, std::size_t min_length, const store::UserRow& of,
                                             const std::string& field);

}  // namespace det::api
