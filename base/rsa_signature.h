#pragma once

// Makes signatures that base/jws.h checks. Pure, but slow (a millisecond): callers on the io thread use run_guarded.

#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

// Of SHA-256 with RSA and PKCS #1 padding (RS256). `private_key`: PEM. kInvalidArgument for what is no RSA key.
[[nodiscard]] Result<std::string> rs256_signature(const std::string& private_key, std::string_view text);

// A JSON Web Token in compact form (RFC 7519), signed by RS256. `claims`: a JSON object. `key_id` may be empty.
[[nodiscard]] Result<std::string> make_jwt(std::string_view claims, const std::string& key_id,
                                           const std::string& private_key);

}  // namespace det
