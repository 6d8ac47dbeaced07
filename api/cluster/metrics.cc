#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "api/cluster/prometheus_text.h"
#include "api/cluster/routes.h"

namespace det::api::routes {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Second field of /proc/self/statm: resident pages.
std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void write_load(PrometheusText& out, const http::ServerLoad& load) {
  out.single("det_http_connections", "gauge", "Open connections.", std::to_string(load.connections));
  out.single("det_http_body_bytes", "gauge", "Bytes of request bodies held now.", std::to_string(load.body_bytes));
  out.single("det_http_connections_closed_total", "counter", "Connections of strangers that made room for newer ones.",
             std::to_string(load.connections_closed));
  out.single("det_http_connections_refused_total", "counter", "Connections for which there was no room.",
             std::to_string(load.connections_refused));
  out.single("det_http_bodies_refused_total", "counter", "Request bodies for which there was no room.",
             std::to_string(load.bodies_refused));
  out.family("det_io_thread_requests_total", "counter", "Requests of a route.");
  for (const auto& [route, one] : load.routes) out.sample({{"route", route}}, std::to_string(one.requests));
  out.family("det_io_thread_seconds_total", "counter", "CPU seconds of the io thread that a route's requests took.");
  for (const auto& [route, one] : load.routes) out.sample({{"route", route}}, std::to_string(one.seconds));
  out.family("det_io_thread_longest_seconds", "gauge", "The longest that one of them held everybody else up.");
  for (const auto& [route, one] : load.routes) out.sample({{"route", route}}, std::to_string(one.longest));
  out.family("det_io_thread_long_requests_total", "counter", "Requests that did so for more than 20 ms.");
  for (const auto& [route, one] : load.routes) out.sample({{"route", route}}, std::to_string(one.long_requests));
}

}  // namespace

// For Prometheus. Names are part of the interface: alerts and dashboards of the chart use them.
Task<Result<http::Response>> metrics(ApiServices& services, Call) {
  PrometheusText out;
  out.single("det_operator_leader", "gauge", "1 while this replica leads: it alone reconciles.",
             services.is_leading && services.is_leading() ? "1" : "0");
  const auto states = co_await services.stores.experiments.count_by_state();
  out.single("det_operator_database_up", "gauge", "1 while this replica reaches PostgreSQL.", states ? "1" : "0");
  if (states) {
    out.family("det_experiments", "gauge", "Experiments in the database, by state; the same at every replica.");
    for (const auto& [state, count] : *states) out.sample({{"state", state}}, std::to_string(count));
  }
  if (services.load) write_load(out, services.load());
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    out.single("process_cpu_seconds_total", "counter", "User and system CPU time in seconds.",
               std::to_string(seconds(usage.ru_utime) + seconds(usage.ru_stime)));
  }
  out.single("process_resident_memory_bytes", "gauge", "Resident memory in bytes.", std::to_string(resident_bytes()));
  co_return std::move(out).response();
}

}  // namespace det::api::routes
