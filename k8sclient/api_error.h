#pragma once

// What an API server's refusal means: HTTP status and Status object (or plain text) -> Error. Pure.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/http_client.h"
#include "base/result.h"

namespace det::k8s {

// The error of a response that is not 2xx; the table of codes stands in k8sclient/client.h. The message is the
// server's, cut to a readable length; `field` is that of the first cause; the retry hint comes from Retry-After or from
// the Status object.
[[nodiscard]] Error error_of_response(const HttpResponse& response);

// The same for a Status object, as it comes in the ERROR line of a watch.
[[nodiscard]] Error error_of_status(const nlohmann::json& status);

// The refusal of a call that named a uid: the object of that name is another one. A 409 has other causes, too, after
// which a second try can help.
[[nodiscard]] bool is_of_another_uid(const Error& error);

}  // namespace det::k8s
