#pragma once

// What the server reads checkpoints with, for downloads: connections and threads of their own, and whose name it has
// at Google. Belongs to the io thread; the clock outlives it.

#include <boost/asio/thread_pool.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/curl_transport.h"
#include "model/cluster/master_config.h"
#include "storage/gcs_identity.h"
#include "storage/open_checkpoint.h"

namespace det::main {

class CheckpointStorage {
 public:
  CheckpointStorage(asio::any_io_executor executor, Clock& clock, const model::MasterConfig& master);

  [[nodiscard]] storage::StorageAccess& access() { return access_; }

 private:
  asio::thread_pool workers_;
  CurlTransport calls_;
  storage::GcsIdentity gcs_;
  storage::StorageAccess access_;
};

}  // namespace det::main
