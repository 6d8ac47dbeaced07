#pragma once

// A checkpoint in Azure's Blob Storage. Belongs to the io thread.
// Source: Azure's documentation, "List Blobs" and "Get Blob".

#include <map>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "storage/azure_account.h"
#include "storage/key_listing.h"
#include "storage/stored_files.h"

namespace det::storage {

// "name", or "name/prefix": the harness takes what comes after a slash for the beginning of keys. kInvalidArgument for
// what is no name of a container.
[[nodiscard]] Status check_container(const std::string& container);

class AzureFiles final : public StoredFiles {
 public:
  // `container` was checked. The first three outlive this; listings are read on `workers`.
  AzureFiles(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, AzureAccount account,
             const std::string& container, const std::string& uuid);

  Task<Result<std::vector<StoredFile>>> list() override;
  Task<Result<std::string>> read(StoredFile file, std::uint64_t offset, std::size_t length) override;

 private:
  // `path`: below the account, percent-encoded.
  Task<Result<HttpResponse>> get(std::string path, std::map<std::string, std::string> query, HttpHeaders headers,
                                 std::size_t most_bytes);
  [[nodiscard]] HttpRequest signed_get(const std::string& path, const std::map<std::string, std::string>& query,
                                       const HttpHeaders& headers) const;

  HttpTransport& transport_;
  Clock& clock_;
  boost::asio::thread_pool& workers_;
  AzureAccount account_;
  std::string container_;
  std::string folder_;  // "prefix/uuid/"
};

// An answer of "List Blobs". kUnavailable: it is none. Pure.
[[nodiscard]] Result<ListedPage> read_azure_page(const std::string& xml);

}  // namespace det::storage
