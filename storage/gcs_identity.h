#pragma once

// As whom this process reads Google Cloud Storage: Application Default Credentials, which Determined's master uses,
// too. In this order: an emulator, which asks for none; the file of GOOGLE_APPLICATION_CREDENTIALS, or the one that
// `gcloud auth application-default login` writes; the metadata server of Google's machines and of GKE's workload
// identity. Nothing of it is anybody's but the administrator's. One for the process; belongs to the io thread.

#include <functional>
#include <optional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/http_client.h"

namespace det::storage {

struct GcsSettings {
  std::string emulator;          // "http://127.0.0.1:4443"; empty: Google's own service
  std::string credentials_file;  // empty: none was named
  std::string usual_file;        // read if it is there; empty: nowhere
  std::string metadata_host = "metadata.google.internal";
};

// From the variables that Google's own clients read: STORAGE_EMULATOR_HOST, GOOGLE_APPLICATION_CREDENTIALS,
// CLOUDSDK_CONFIG, HOME, GCE_METADATA_HOST.
[[nodiscard]] GcsSettings gcs_settings(
    const std::function<std::optional<std::string>(const std::string& name)>& variable);

class GcsIdentity {
 public:
  // All that is given outlives this. Files are read, and texts signed, on `workers`.
  GcsIdentity(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, GcsSettings settings)
      : transport_(transport), clock_(clock), workers_(workers), settings_(std::move(settings)) {}

  // "https://storage.googleapis.com"
  [[nodiscard]] std::string origin() const;
  // The header Authorization; empty: none is needed. A token is asked for once for as long as it works.
  // kFailedPrecondition where there are no credentials, and says what to do.
  Task<Result<std::string>> authorization();

 private:
  struct TokenRequest {
    HttpRequest request;
    std::string place;  // where the credentials are from
  };
  Task<Result<TokenRequest>> token_request();

  HttpTransport& transport_;
  Clock& clock_;
  boost::asio::thread_pool& workers_;
  GcsSettings settings_;
  std::string token_;
  SteadyTime good_until_;
};

// The request that turns a file of credentials into a token; pure but for the signature's cost. `now` in seconds since
// 1970. kFailedPrecondition for a kind of credentials that does not work here.
[[nodiscard]] Result<HttpRequest> token_request_of(const std::string& credentials, std::int64_t now);

}  // namespace det::storage
