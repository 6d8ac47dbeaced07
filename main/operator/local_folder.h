#pragma once

// The data folder of `det-operator local`: who uses it, and what is kept in it besides the database.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace det::main {

class LocalFolder {
 public:
  // Makes the folder if need be and takes it for this process. kFailedPrecondition when another process uses it (its
  // pid is named) or it cannot be made.
  static Result<LocalFolder> take(std::string path);
  ~LocalFolder();
  LocalFolder(LocalFolder&& other) noexcept;
  LocalFolder& operator=(LocalFolder&&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  // The content of a small private file; made with `fresh` when there is none yet.
  [[nodiscard]] Result<std::string> kept(const std::string& name, const std::string& fresh) const;
  // Replaces a private file as a whole.
  [[nodiscard]] Status write(const std::string& name, const std::string& text) const;

 private:
  LocalFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;
};

}  // namespace det::main
