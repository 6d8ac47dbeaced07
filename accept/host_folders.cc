#include "accept/host_folders.h"

#include <filesystem>
#include <system_error>

namespace det::accept {
namespace {

void check(const std::string& folder, const std::string& field, FieldErrors& errors) {
  std::error_code error;
  if (!folder.empty() && !folder.starts_with('/')) {
    return add_field_error(errors, field, "\"" + folder + "\" is no absolute path, for example /mnt/data");
  }
  if (folder.empty() || std::filesystem::status(folder, error).type() != std::filesystem::file_type::not_found) return;
  add_field_error(errors, field,
                  "\"" + folder + "\" does not exist on this machine; make it with mkdir -p, or name one that does");
}

}  // namespace

FieldErrors missing_host_folders(const model::CheckpointStorageConfig* storage,
                                 const std::vector<model::BindMount>& mounts) {
  FieldErrors errors;
  if (storage != nullptr && storage->type == "shared_fs") {
    check(storage->host_path, "checkpoint_storage.host_path", errors);
  }
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    check(mounts[i].host_path, item_path("bind_mounts", i) + ".host_path", errors);
  }
  return errors;
}

}  // namespace det::accept
