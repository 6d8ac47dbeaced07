#pragma once

// From the section checkpoint_storage of a configuration to a checkpoint's files. Belongs to the io thread.

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "storage/stored_files.h"

namespace det::storage {

struct StorageAccess {
  HttpTransport& transport;
  Clock& clock;
  boost::asio::thread_pool& workers;
  // Which endpoint_url of users' configurations this process may dial, as they are written there; "*": any. Users name
  // them: whatever this process reaches must not be at their disposal.
  std::vector<std::string> endpoints;
};

// `config`: the section, with its secrets. `uuid`: of the checkpoint, lower case. kUnimplemented for kinds that this
// process does not read, kPermissionDenied for an endpoint that it may not dial.
[[nodiscard]] Result<std::unique_ptr<StoredFiles>> open_checkpoint(const StorageAccess& access,
                                                                   const nlohmann::json& config, std::string uuid);

}  // namespace det::storage
