#pragma once

// Requests of libcurl's transport to servers on loopback.

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/curl_transport.h"
#include "tests/support/background.h"
#include "tests/support/loopback_server.h"

namespace det {

class CurlTransportTest : public testing::Test {
 protected:
  // Runs the loop until `done` is set; a test that never gets there is cut after many turns of the loop.
  void run_until(const bool& done) {
    io.restart();
    while (!done) ASSERT_GT(io.run_one_for(std::chrono::seconds(30)), 0U) << "nothing happens any more";
  }
  // Sends one request and returns what came.
  Result<HttpResponse> exchange(HttpRequest request) {
    std::optional<Result<HttpResponse>> result;
    bool done = false;
    auto task = [&]() -> Task<void> {
      result = co_await transport.send(std::move(request));
      done = true;
    };
    test::Background running(io);
    running.start(task());
    run_until(done);
    return *result;
  }
  Result<HttpResponse> exchange_stream(HttpRequest request, BodySink sink) {
    std::optional<Result<HttpResponse>> result;
    bool done = false;
    auto task = [&]() -> Task<void> {
      result = co_await transport.stream(std::move(request), std::move(sink));
      done = true;
    };
    test::Background running(io);
    running.start(task());
    run_until(done);
    return *result;
  }
  static HttpRequest to(const test::LoopbackServer& server, std::string path) {
    HttpRequest request;
    request.url = server.url() + path;
    return request;
  }

  asio::io_context io;
  CurlTransport transport{io.get_executor()};
};

}  // namespace det
