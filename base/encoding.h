#pragma once

// Text forms of bytes: base64, hex, digests, random tokens and UUIDs, and the check that bytes are UTF-8 at all (a JSON
// writer throws on anything else). Pure except for the random functions; any thread may call.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

// Standard alphabet with padding, no line breaks.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
// The alphabet of URLs, without padding.
[[nodiscard]] std::string base64url_encode(std::string_view bytes);
// Accepts the standard and the URL alphabet, with or without padding; white space and anything else is
// kInvalidArgument.
[[nodiscard]] Result<std::string> base64_decode(std::string_view text);

// Lower-case hex, two digits a byte.
[[nodiscard]] std::string hex_encode(std::string_view bytes);
[[nodiscard]] Result<std::string> hex_decode(std::string_view text);

// Digests as lower-case hex.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string sha512_hex(std::string_view bytes);
// The digest itself: 20 bytes.
[[nodiscard]] std::string sha1(std::string_view bytes);
[[nodiscard]] std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);
// Compares in a time that tells nothing but the lengths.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b);

// `bytes` random bytes of the system's generator as URL-safe base64 without padding. Aborts when there is no entropy.
[[nodiscard]] std::string random_token(std::size_t bytes);
// A random UUID (version 4), lower case.
[[nodiscard]] std::string uuid_v4();

// True for well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

}  // namespace det
