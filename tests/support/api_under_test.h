#pragma once

// One API server for the conformance suite: the one in memory, the real one that DET_TEST_KUBECONFIG names, or the
// embedded one. Calls and watches go through FaultyTransports; everything happens in a namespace of its own, removed at
// the end. Which servers a test program runs the suite on, it says itself (conformance_kinds), so that k8sclient's
// tests need nothing of local/.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "k8sclient/client.h"
#include "k8sclient/config.h"
#include "tests/support/faulty_transport.h"
#include "tests/support/run_task.h"

namespace det::test {

enum class ApiKind : std::uint8_t { kFake, kReal, kEmbedded };
[[nodiscard]] std::string to_string(ApiKind kind);

// A server that runs in the test's own loop, until destroyed.
class ApiHost {
 public:
  virtual ~ApiHost() = default;
  [[nodiscard]] virtual std::shared_ptr<k8s::Config> config() = 0;
};

// Defined by each program that has the suite.
[[nodiscard]] std::vector<ApiKind> conformance_kinds();
[[nodiscard]] std::unique_ptr<ApiHost> host_embedded_api(asio::io_context& io, Clock& clock);

class ApiUnderTest {
 public:
  // Whether this kind can be had here; a real one needs the variable.
  static bool is_available(ApiKind kind);
  static constexpr const char* kWhyNotAvailable =
      "not run: DET_TEST_KUBECONFIG names no kubeconfig of a real API server (scripts/cluster/up.sh starts one)";

  explicit ApiUnderTest(ApiKind kind);
  ~ApiUnderTest();
  ApiUnderTest(const ApiUnderTest&) = delete;
  ApiUnderTest& operator=(const ApiUnderTest&) = delete;

  template <typename T>
  T run(Task<T> task) {
    return run_task(io, std::move(task));
  }
  // Runs the loop until it is so; false when it is not after half a minute.
  bool eventually(const std::function<bool()>& claim);

  asio::io_context io;
  SystemClock clock;

 private:
  std::unique_ptr<ApiHost> host_;  // null: not in this process
  std::unique_ptr<HttpTransport> call_server_;
  std::unique_ptr<HttpTransport> watch_server_;  // null: the one of calls

 public:
  FaultyTransport calls;
  FaultyTransport watches;
  std::shared_ptr<k8s::Config> config;
  k8s::Client client;
  std::string ns;

 private:
  [[nodiscard]] HttpTransport& watch_server() { return watch_server_ ? *watch_server_ : *call_server_; }
};

}  // namespace det::test
