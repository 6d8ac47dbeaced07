#pragma once

// How a shim leaves the exit of its container, also when the disk has filled up meanwhile: the room is taken before the
// container starts. One thread.

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace det::local {

class ExitFile {
 public:
  // exit.json of an attempt's folder.
  explicit ExitFile(const std::string& folder) : path_(folder + "/exit.json") {}
  ~ExitFile();
  ExitFile(const ExitFile&) = delete;
  ExitFile& operator=(const ExitFile&) = delete;

  // Makes exit.json.new, as large as it will ever be. kInternal: there is no room.
  [[nodiscard]] Status reserve();
  // Once, after reserve(): writes {"exit_code", "finished_at", "error"?} and gives the file its name, so that a reader
  // sees all of it or nothing. A long error is cut, and what of it is not UTF-8 replaced.
  [[nodiscard]] Status write(int exit_code, WallTime finished_at, const std::string& error);

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace det::local
