#pragma once

// Turns TlsFiles into OpenSSL contexts. A detail of http/server.cc. Belongs to the io thread.

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "base/log.h"
#include "base/result.h"
#include "http/server.h"

namespace det::http {

// TLS 1.2 and later. kInvalidArgument names the file that could not be used.
[[nodiscard]] Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const TlsFiles& files);

// The context for the next connection. It is made anew where the files have changed: certificates are renewed while a
// server runs. Where they cannot be used, the former one stays, with a warning at each look.
class TlsContexts {
 public:
  TlsContexts(TlsFiles files, std::chrono::milliseconds look_every) : files_(std::move(files)), every_(look_every) {}

  // kInvalidArgument names the file that could not be used.
  [[nodiscard]] Status load();
  // After load().
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> current();

 private:
  using Times = std::vector<std::filesystem::file_time_type>;

  [[nodiscard]] Times changed_at() const;

  TlsFiles files_;
  std::chrono::milliseconds every_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  Times loaded_;  // when the files had changed that the context is made of
  std::chrono::steady_clock::time_point looked_;
  Logger log_{"http"};
};

}  // namespace det::http
