// How fast the embedded Kubernetes API is: durable creates and updates per second over HTTP, and how many watch events
// per second reach the watchers. Starts a private PostgreSQL. kubeapi_bench [OBJECTS] [WRITERS] [WATCHES]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/curl_transport.h"
#include "base/log.h"
#include "k8sclient/client.h"
#include "local/kubeapi/embedded_api.h"
#include "tests/support/postgres.h"

namespace {

using det::Task;
using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kToken = "bench";

struct Bench {
  Bench(det::asio::any_io_executor io, int writers, int watchers)
      : executor(io),
        api(io, clock, {.database_url = det::test::shared_postgres().create_database(), .token = kToken}),
        calls(io, writers),
        watches(io, watchers + 1) {}

  det::asio::any_io_executor executor;
  det::SystemClock clock;
  det::local::EmbeddedApi api;
  det::CurlTransport calls;
  det::CurlTransport watches;
  std::shared_ptr<det::k8s::Config> config;
  std::unique_ptr<det::k8s::Client> client;
  std::uint64_t events = 0;
  int failures = 0;
};

json config_map(int i, const std::string& value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "m" + std::to_string(i)}}},
          {"data", {{"value", value}, {"filling", std::string(500, 'x')}}}};
}

Task<void> create_some(Bench& bench, int from, int step, int objects) {
  for (int i = from; i < objects; i += step) {
    json object = config_map(i, "1");
    const auto made = co_await bench.client->create(det::k8s::config_maps(), "default", std::move(object), {});
    if (!made) ++bench.failures;
  }
}

Task<void> update_some(Bench& bench, int from, int step, int objects) {
  for (int i = from; i < objects; i += step) {
    json patch = {{"data", {{"value", "2"}}}};
    const det::k8s::ObjectKey key{"default", "m" + std::to_string(i)};
    const auto changed = co_await bench.client->patch(det::k8s::config_maps(), key, std::move(patch), {});
    if (!changed) ++bench.failures;
  }
}

Task<void> watch(Bench& bench) {
  det::k8s::WatchOptions options;
  options.send_initial_events = true;
  std::function<void(det::k8s::WatchEvent)> count = [&bench](const det::k8s::WatchEvent&) { ++bench.events; };
  (void)co_await bench.client->watch(det::k8s::config_maps(), options, std::move(count));
}

using Some = Task<void> (*)(Bench&, int, int, int);

Task<void> measure(Bench& bench, const char* what, Some some, int writers, int objects) {
  const auto begin = SteadyClock::now();
  const auto events = bench.events;
  det::TaskGroup group(bench.executor);
  for (int i = 0; i < writers; ++i) group.spawn(what, some(bench, i, writers, objects));
  co_await group.join();
  const double seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  std::printf("%-8s %8d in %6.2f s: %8.0f/s, watch events %8.0f/s\n", what, objects, seconds, objects / seconds,
              static_cast<double>(bench.events - events) / seconds);
}

Task<void> run(Bench& bench, int objects, int writers, int watchers) {
  const auto started = co_await bench.api.start();
  if (!started) det::log_fatal("the API did not start", {{"error", started.error().message}});
  bench.config = det::k8s::Config::for_server(bench.api.url(), kToken, nullptr, bench.clock);
  bench.client = std::make_unique<det::k8s::Client>(bench.calls, bench.watches, bench.config, bench.clock, "bench");
  det::TaskGroup watching(bench.executor);
  for (int i = 0; i < watchers; ++i) watching.spawn("watch", watch(bench));
  while (bench.api.open_watches() < static_cast<std::size_t>(watchers)) {
    co_await bench.clock.sleep_for(std::chrono::milliseconds(5));
  }
  co_await measure(bench, "create", create_some, writers, objects);
  co_await measure(bench, "update", update_some, writers, objects);
  std::printf("failures %d\n", bench.failures);
  watching.cancel();
  co_await watching.join();
  co_await bench.api.stop();
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int fallback) { return argc > i ? std::atoi(argv[i]) : fallback; };
  const int objects = argument(1, 5000);
  const int writers = argument(2, 32);
  const int watchers = argument(3, 4);
  std::printf("%d objects of 0.7 kB, %d writers, %d watches; one process, private PostgreSQL\n", objects, writers,
              watchers);
  det::asio::io_context io;
  {
    Bench bench(io.get_executor(), writers, watchers);
    det::asio::co_spawn(io, run(bench, objects, writers, watchers), det::asio::detached);
    io.run();
  }
  return 0;
}
