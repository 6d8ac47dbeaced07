#pragma once

// A file of the user's that this command line shares with the Python one. Blocks for as long as the other one holds its
// lock; the io thread of a command line may.

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"

namespace det::cli {

// Replaces `file` by what `content` gives, which is called under the lock that the Python command line takes too
// (FILE.lock). Makes the folder; nobody else may read the file.
Status replace_locked(const std::filesystem::path& file, const std::function<Result<std::string>()>& content);

}  // namespace det::cli
