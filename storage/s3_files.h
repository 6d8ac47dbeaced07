#pragma once

// A checkpoint in S3, or in what speaks its protocol. Belongs to the io thread.

#include <string>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "storage/aws_signature.h"
#include "storage/stored_files.h"

namespace det::storage {

struct S3Bucket {
  std::string bucket;
  std::string endpoint;  // "http://minio:9000"; empty: Amazon's
  std::string prefix;    // of all keys; with or without slashes around it
  std::string region = "us-east-1";
  AwsKeys keys;
};

// kInvalidArgument for a bucket whose name could lead elsewhere, or an endpoint that is no http(s) URL of a host.
[[nodiscard]] Status check_bucket(const S3Bucket& bucket);

class S3Files final : public StoredFiles {
 public:
  // `bucket` was checked. The first three outlive this; listings are read on `workers`.
  S3Files(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, S3Bucket bucket,
          const std::string& uuid);

  Task<Result<std::vector<StoredFile>>> list() override;
  Task<Result<std::string>> read(StoredFile file, std::uint64_t offset, std::size_t length) override;

 private:
  struct Target {
    std::string origin;  // "https://bucket.s3.us-east-1.amazonaws.com"
    std::string host;
    std::string path;  // "" or "/bucket"
  };
  [[nodiscard]] Target target() const;
  // With the region that S3 says the bucket is in, where it says so.
  Task<Result<HttpResponse>> get(std::string key, std::map<std::string, std::string> query, HttpHeaders headers,
                                 std::size_t most_bytes);
  Task<Result<HttpResponse>> get_once(std::string key, std::map<std::string, std::string> query, HttpHeaders headers,
                                      std::size_t most_bytes);

  HttpTransport& transport_;
  Clock& clock_;
  boost::asio::thread_pool& workers_;
  S3Bucket bucket_;
  std::string folder_;  // "prefix/uuid/"
};

}  // namespace det::storage
