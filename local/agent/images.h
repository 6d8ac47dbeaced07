#pragma once

// Which folder an image reference stands for. Here an image is a folder such as a Python environment, bound read-only
// at its own path over the host's programs. Pure values; any thread.

#include <map>
#include <string>

#include "base/result.h"

namespace det::local {

struct Images {
  std::map<std::string, std::string> folders;  // reference -> folder; an empty folder: the host's programs alone
  std::string default_folder;
  bool has_default = false;

  // kNotFound says how to make the reference known.
  [[nodiscard]] Result<std::string> find(const std::string& reference) const {
    if (const auto known = folders.find(reference); known != folders.end()) return known->second;
    if (has_default) return default_folder;
    return fail(ErrorCode::kNotFound, "image \"" + reference +
                                          "\" is not known to this node: start the node agent with --image " +
                                          reference + "=DIR or --default-image DIR");
  }
};

}  // namespace det::local
