#pragma once

// GET pods/NAME/log: passed on to the node's own log server, whose address stands in the Node's status, as a real API
// server does. Belongs to the io thread; the transport outlives it.

#include <memory>
#include <string>

#include "base/async.h"
#include "base/http_client.h"
#include "http/message.h"
#include "local/kubeapi/object_store.h"
#include "local/kubeapi/request.h"

namespace det::local::kubeapi {

class PodLogs {
 public:
  // `tls`: how nodes are dialled; nodes have certificates of their own making. `token`: what their log servers want to
  // see; empty: none is sent.
  PodLogs(asio::any_io_executor executor, const ObjectStore& store, HttpTransport& transport,
          std::shared_ptr<const TlsConfig> tls, std::string token);

  Task<http::Response> read(ApiRequest request, const http::Request& http);
  // Ends the transfers that are left; after the server has stopped.
  Task<void> stop();

 private:
  class Pipe;
  [[nodiscard]] ApiResult<std::string> url_of(const ApiRequest& request, const http::Request& http) const;
  Task<void> fetch(std::shared_ptr<Pipe> pipe, std::string url);

  asio::any_io_executor executor_;
  const ObjectStore& store_;
  HttpTransport& transport_;
  std::shared_ptr<const TlsConfig> tls_;
  std::string token_;
  TaskGroup transfers_;
};

}  // namespace det::local::kubeapi
