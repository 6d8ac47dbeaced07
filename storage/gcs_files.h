#pragma once

// A checkpoint in Google Cloud Storage, by its JSON API. Belongs to the io thread.
// Source: Google Cloud documentation, "Objects: list" and "Objects: get".

#include <map>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "storage/gcs_identity.h"
#include "storage/key_listing.h"
#include "storage/stored_files.h"

namespace det::storage {

struct GcsBucket {
  std::string bucket;
  std::string prefix;  // of all keys; with or without slashes around it
};

// kInvalidArgument for what is no name of a bucket.
[[nodiscard]] Status check_bucket(const GcsBucket& bucket);

class GcsFiles final : public StoredFiles {
 public:
  // `bucket` was checked. What comes before it outlives this; listings are read on `workers`.
  GcsFiles(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, GcsIdentity& identity,
           const GcsBucket& bucket, const std::string& uuid);

  Task<Result<std::vector<StoredFile>>> list() override;
  Task<Result<std::string>> read(StoredFile file, std::uint64_t offset, std::size_t length) override;

 private:
  // `path`: after the origin.
  Task<Result<HttpResponse>> get(std::string path, std::map<std::string, std::string> query, HttpHeaders headers,
                                 std::size_t most_bytes);

  HttpTransport& transport_;
  Clock& clock_;
  boost::asio::thread_pool& workers_;
  GcsIdentity& identity_;
  std::string bucket_;
  std::string objects_;  // "/storage/v1/b/bucket/o"
  std::string folder_;   // "prefix/uuid/"
};

// An answer of "Objects: list". kUnavailable: it is none. Pure.
[[nodiscard]] Result<ListedPage> read_gcs_page(const std::string& text);

}  // namespace det::storage
