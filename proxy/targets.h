#pragma once

// Where the proxy may connect to: the published address of a service, unless that is no place for a pod. Pure.

#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "store/proxy/service_store.h"

namespace det::proxy {

struct TargetRules {
  // Pods share the network of this machine (local mode): loopback is theirs too.
  bool shares_host_network = false;
  std::vector<boost::asio::ip::tcp::endpoint> forbidden;  // the API server
  std::vector<int> own_ports;                             // of this program, on whatever address of this machine
};

// kPermissionDenied: no pod can be there. kInvalidArgument: that is no address.
[[nodiscard]] Result<boost::asio::ip::tcp::endpoint> target_of(const store::ProxyService& service,
                                                               const TargetRules& rules);

}  // namespace det::proxy
