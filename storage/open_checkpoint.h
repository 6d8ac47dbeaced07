#pragma once

// From the section checkpoint_storage of a configuration to a checkpoint's files. Belongs to the io thread.

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "storage/gcs_identity.h"
#include "storage/stored_files.h"

namespace det::storage {

struct StorageAccess {
  HttpTransport& transport;
  Clock& clock;
  boost::asio::thread_pool& workers;
  GcsIdentity& gcs;
  // What this process may reach for users, who name it in their configurations: whatever this process reaches, and may
  // read, must not be at their disposal. An endpoint_url of S3, as it is written there; an account_url of Azure that is
  // not Azure's own; a bucket of Google as "gs://bucket", because it is read as whom this process is there. "*": any.
  std::vector<std::string> endpoints;
};

// What `config`, the cluster's own checkpoint_storage, adds to `endpoints`: it is the administrator's choice, too.
// Empty: nothing.
[[nodiscard]] std::string endpoint_of(const nlohmann::json& config);

// `config`: the section, with its secrets. `uuid`: of the checkpoint, lower case. kUnimplemented for kinds that this
// process does not read, kPermissionDenied for what it may not reach.
[[nodiscard]] Result<std::unique_ptr<StoredFiles>> open_checkpoint(const StorageAccess& access,
                                                                   const nlohmann::json& config, std::string uuid);

}  // namespace det::storage
