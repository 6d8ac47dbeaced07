#include "base/ssh_key.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace det {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 256> piece{};
  while (fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  pclose(pipe);
  return text;
}

TEST(SshKeys, AreALineOfAuthorizedKeysAndItsPrivateHalf) {
  const auto keys = make_ssh_keys("shell");
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->private_key.starts_with("-----BEGIN EC PRIVATE KEY-----\n")) << keys->private_key;
  EXPECT_TRUE(keys->private_key.ends_with("-----END EC PRIVATE KEY-----\n"));
  EXPECT_TRUE(keys->public_key.starts_with("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY"));
  EXPECT_TRUE(keys->public_key.ends_with(" shell\n"));
  EXPECT_NE(make_ssh_keys("shell")->public_key, keys->public_key);
}

TEST(SshKeys, AreReadByOpenSsh) {
  if (output_of("command -v ssh-keygen").empty()) GTEST_SKIP() << "not run: ssh-keygen is not installed";
  std::string folder = fs::temp_directory_path() / "det-keys-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const fs::path file = fs::path(folder) / "id";
  const auto keys = make_ssh_keys("shell");
  std::ofstream(file) << keys->private_key;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const std::string derived = output_of("ssh-keygen -y -f '" + file.string() + "'");
  EXPECT_EQ(derived.substr(0, derived.find_last_not_of('\n') + 1),
            keys->public_key.substr(0, keys->public_key.rfind(" shell")));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace det
