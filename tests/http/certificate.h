#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "http/server.h"

namespace det::http {

// A self-signed certificate for "localhost" in a folder of its own.
class Certificate {
 public:
  Certificate() : folder_(std::filesystem::temp_directory_path() / ("det-tls-" + uuid_v4())) {
    std::filesystem::create_directory(folder_);
    renew();
  }
  // Another key, another certificate, the same files.
  void renew() const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
        files().key_file + " -out " + files().certificate_file + " 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  [[nodiscard]] TlsFiles files() const {
    return {.certificate_file = (folder_ / "tls.crt").string(),
            .key_file = (folder_ / "tls.key").string(),
            .client_ca_file = {}};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace det::http
