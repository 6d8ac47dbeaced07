#pragma once

// The origins under which browsers see tasks. A page of a task is code of whoever started it: on the API's own origin
// it could do whatever the person who looks at it may. So each task has a host name of its own, or, where there are no
// names to give, all tasks share another port. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace det::proxy {

struct OriginOptions {
  // "tasks.example.com": tasks are "<task id>.tasks.example.com", on the port that the API was asked on, or on that
  // given here. "https://" before it: something in front speaks TLS. Empty: no host names.
  std::string host_suffix;
  std::uint16_t port = 0;  // of the second server, without host names; 0: none
};

class TaskOrigins {
 public:
  explicit TaskOrigins(const OriginOptions& options);

  // Whether browsers can see tasks at all.
  [[nodiscard]] bool exist() const { return !suffix_.empty() || port_ != 0; }
  // The label in "<label>.tasks.example.com:80" (the value of Host, or an origin's); nothing for other hosts.
  [[nodiscard]] std::optional<std::string> label_of(std::string_view authority) const;
  // Whether "http://x.tasks.example.com" is an origin of tasks.
  [[nodiscard]] bool is_task_origin(std::string_view origin) const;
  // Of the task, for a browser that asked the API by `request`: "http://<label>.localhost:8080".
  [[nodiscard]] std::string origin_for(std::string_view task_id, const http::Request& request) const;
  // Whether browsers see the request's server by TLS.
  [[nodiscard]] bool is_https(const http::Request& request, bool on_task_origin) const;

 private:
  std::string suffix_;       // lower case, without port
  std::string suffix_port_;  // ":443", may be empty
  bool is_https_ = false;
  std::uint16_t port_ = 0;
};

// A task's label in host names: its id, with '-' for what a label cannot hold. Tasks of trials have a dot in theirs.
[[nodiscard]] std::string label_of_task(std::string_view task_id);
// Of "host:port": the host in lower case, and ":port" or nothing.
[[nodiscard]] std::pair<std::string, std::string> split_authority(std::string_view authority);

}  // namespace det::proxy
