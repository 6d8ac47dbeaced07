#pragma once

// The control plane's parts, wired: database, Kubernetes, REST API, leader election, reconcilers. One per process;
// lives on the io thread of `executor`.

#include <chrono>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "main/operator/serve_options.h"

namespace det::main {

class ControlPlane {
 public:
  ControlPlane(asio::any_io_executor executor, ServeOptions options);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Reads the kubeconfig and opens the port: what is wrong with the options is said at once.
  [[nodiscard]] Status start();
  // Serves until cancelled. Waits for the database as long as it is away.
  Task<void> run();
  // While run() runs, to which it leaves the serving: gives the Lease up for good, and says at /ready that requests
  // should go elsewhere. Returns when the Lease is given up, and not before `linger` is over, in which those who were
  // not told yet still send requests here.
  Task<void> leave(std::chrono::milliseconds linger);
  // Stops serving, after run() was cancelled and has returned.
  Task<void> stop();

  // Whether it serves the web page, once it has started.
  [[nodiscard]] bool has_page() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace det::main
