#pragma once

// A small Kubernetes API in one process, for machines without a cluster: what operators, kubectl and the node agent
// need, kept in PostgreSQL (schema `kube`), on loopback with a bearer token. docs/local-kubernetes-api.md says what is
// supported. Belongs to the io thread.
//
//   EmbeddedApi api(io.get_executor(), clock, {.database_url = url, .certificate_folder = folder, .token = token,
//                                              .definitions = crd_texts});
//   if (Status started = co_await api.start(); !started) ...
//   write_kubeconfig(path, api.kubeconfig());
//   ... co_await api.stop();   // before the io_context goes

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.h"
#include "base/http_client.h"
#include "base/result.h"
#include "base/task.h"

namespace det::local {

// What a test wants to happen to one request, before it is handled.
struct ApiFault {
  std::chrono::milliseconds delay{0};
  int status = 0;               // not 0: answered with this status and a Status object
  int retry_after_seconds = 0;  // not 0: sent as Retry-After
};

struct EmbeddedApiOptions {
  std::string database_url;  // libpq URL; never logged
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: a free one
  // Where the server's own certificate is kept, so that a kubeconfig outlives a restart; made when it is missing or
  // nears its end. Empty: plain HTTP, over which kubectl sends no token (our own client does).
  std::string certificate_folder = {};
  std::string token;  // what clients must send; empty is refused by start()
  // Texts (YAML or JSON) of CustomResourceDefinitions; made or brought up to date at the start.
  std::vector<std::string> definitions = {};
  std::vector<std::string> namespaces = {"default", "kube-system", "kube-node-lease"};  // made when they are missing
  bool binds_pods = true;  // false: somebody else sets spec.nodeName
  // How nodes are dialled for logs. Null: their certificates, self-made, are not checked, and we show none.
  std::shared_ptr<const TlsConfig> node_tls = nullptr;
  std::string node_log_token = {};  // what the nodes' log servers want to see
  std::size_t history = 1000;       // changes of a kind that watches can resume from, at most
  // Of their objects as JSON; in memory they take ten times as much.
  std::size_t history_bytes = std::size_t{16} << 20U;
  std::chrono::milliseconds bookmark_interval{60'000};
  std::function<ApiFault(const std::string& method, const std::string& target)> faults = {};  // for tests
};

class EmbeddedApi {
 public:
  EmbeddedApi(boost::asio::any_io_executor executor, Clock& clock, EmbeddedApiOptions options);
  ~EmbeddedApi();  // stop() has returned, or start() was never called
  EmbeddedApi(const EmbeddedApi&) = delete;
  EmbeddedApi& operator=(const EmbeddedApi&) = delete;

  // Reads the database, begins the background work (garbage collector, binder), listens. kUnavailable when PostgreSQL
  // or the port cannot be had, kFailedPrecondition when another process serves this database or the certificate
  // cannot be kept, kInvalidArgument for an address that is not loopback, no token, or a
  // definition that is wrong. After an error the object is only good for destruction.
  Task<Status> start();
  // Ends watches, lets writes finish, stops the background work.
  Task<void> stop();
  [[nodiscard]] std::uint16_t port() const;
  // After start(): "https://127.0.0.1:40001", and the text of a kubeconfig that leads here.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string kubeconfig() const;

  // For tests: ends every watch (clients resume); forgets the history (watches and pages from before get 410).
  void cut_watches();
  void compact();
  [[nodiscard]] std::size_t open_watches() const;
  [[nodiscard]] std::uint64_t version() const;  // the last resourceVersion

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace det::local
