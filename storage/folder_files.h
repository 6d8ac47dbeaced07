#pragma once

// A checkpoint in a folder that this process reaches: shared_fs and directory. Programs of users write there: nothing
// but files and folders is read, and no symbolic link is followed below the checkpoint's folder, nor is that one.

#include <string>

#include <boost/asio/thread_pool.hpp>

#include "storage/stored_files.h"

namespace det::storage {

class FolderFiles final : public StoredFiles {
 public:
  // `base`: where the storage is, absolute; `uuid` names the checkpoint's folder in it. The disk is read on `workers`,
  // which outlives this.
  FolderFiles(boost::asio::thread_pool& workers, std::string base, std::string uuid)
      : workers_(workers), base_(std::move(base)), uuid_(std::move(uuid)) {}

  Task<Result<std::vector<StoredFile>>> list() override;
  Task<Result<std::string>> read(StoredFile file, std::uint64_t offset, std::size_t length) override;

 private:
  boost::asio::thread_pool& workers_;
  std::string base_;
  std::string uuid_;
};

}  // namespace det::storage
