#pragma once

// A Kubernetes client over a scripted transport and a clock that the test advances.

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "k8sclient/client.h"
#include "k8sclient/config.h"
#include "tests/support/background.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace det::test {

struct ScriptedClient {
  asio::io_context io;
  FakeClock clock{io};
  FakeTransport calls{io.get_executor(), clock};
  FakeTransport watches{io.get_executor(), clock};
  k8s::Client client{calls, watches, k8s::Config::for_server("https://api.invalid", "secret-token", nullptr, clock),
                     clock, "det-test"};
  Background background{io};

  // Starts `task`; its result is there once the test has let enough time go by.
  template <typename T>
  std::shared_ptr<std::optional<T>> start(Task<T> task) {
    auto result = std::make_shared<std::optional<T>>();
    background.start(keep(std::move(task), result));
    clock.settle();
    return result;
  }

 private:
  template <typename T>
  static Task<void> keep(Task<T> task, std::shared_ptr<std::optional<T>> result) {
    result->emplace(co_await std::move(task));
  }
};

}  // namespace det::test
