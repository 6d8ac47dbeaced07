#pragma once

// GETs of object storages, of bounded length and time, which are tried again where a failure may pass. Belongs to the
// io thread.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/http_client.h"

namespace det::storage {

inline constexpr std::size_t kMostListingBytes = std::size_t{8} << 20;  // of a page
inline constexpr int kMostTries = 3;

// What a status of 400 and above means.
[[nodiscard]] ErrorCode code_of_status(int status);
// "https://minio:9000 answers 403, AccessDenied: no". `why` may be empty.
[[nodiscard]] Error refusal_of(const std::string& origin, int status, const std::string& why);
// Before the try that comes after so many.
[[nodiscard]] std::chrono::milliseconds pause_after(int tries);

// Once. kFailedPrecondition for a body of more than `most_bytes`. A body of 2xx is in the response.
Task<Result<HttpResponse>> get_bounded(HttpTransport& transport, HttpRequest request, std::size_t most_bytes);

// Makes the request of a try: what signs it holds the time.
using MakeRequest = std::function<Task<Result<HttpRequest>>()>;
// As get_bounded, up to kMostTries times while the storage is away or answers 5xx or 429. Other answers are returned,
// whatever their status.
Task<Result<HttpResponse>> get_patiently(HttpTransport& transport, Clock& clock, MakeRequest make,
                                         std::size_t most_bytes);

// Up to `length` bytes from `offset` of an answer to a request for this part: kUnavailable where the storage sent
// something else, kFailedPrecondition where it says that the version which was asked for is gone.
[[nodiscard]] Result<std::string> part_of(HttpResponse response, const std::string& origin, std::uint64_t offset,
                                          std::size_t length);
// "bytes=0-9"
[[nodiscard]] std::string range_text(std::uint64_t offset, std::size_t length);

}  // namespace det::storage
