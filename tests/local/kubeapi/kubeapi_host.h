#pragma once

// An embedded API on a database of its own, in the loop of a test.

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "k8sclient/client.h"
#include "local/kubeapi/embedded_api.h"
#include "tests/support/api_under_test.h"

namespace det::local::test {

class KubeApiHost final : public det::test::ApiHost {
 public:
  // `options` without database: a new one. Aborts when it does not start.
  KubeApiHost(asio::io_context& io, Clock& clock, EmbeddedApiOptions options = {});
  ~KubeApiHost() override;

  [[nodiscard]] std::shared_ptr<k8s::Config> config() override;
  [[nodiscard]] EmbeddedApi& api() { return *api_; }
  [[nodiscard]] const std::string& database_url() const { return database_url_; }
  // Stops it, as at the end of a process; the database stays.
  void stop();

 private:
  asio::io_context& io_;
  Clock& clock_;
  std::string database_url_;
  std::unique_ptr<EmbeddedApi> api_;
};

}  // namespace det::local::test
