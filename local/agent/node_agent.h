#pragma once

// The node agent: a Node of a real or embedded API server whose pods run as sandboxed processes of this machine.
// Pods outlive an agent that is killed; the next one with the same state folder takes them over. Belongs to the io
// thread.
//
//   NodeAgent agent(io.get_executor(), pool, clock, client, options);
//   if (Status started = co_await agent.start(); !started) ...
//   ... a signal comes ...
//   co_await agent.shut_down();   // before the pool and the io_context go

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"

namespace det::local {

struct NodeAgentOptions {
  std::string node;                           // name of the Node
  std::string state_folder;                   // absolute; the agent's alone
  std::map<std::string, std::string> images;  // reference -> folder
  std::string default_image;                  // a folder; empty: the host's programs
  bool has_default_image = false;
  std::map<std::string, std::string> labels;
  int slots = 1;
  bool uses_gpus = true;                  // offer the NVIDIA GPUs that the driver knows
  std::vector<std::string> masks;         // paths no pod may see: kubeconfigs, data folders
  std::vector<std::string> open_folders;  // below them, and yet allowed as a hostPath: checkpoints
  std::string address = "127.0.0.1";
  std::uint16_t log_port = 0;  // 0: a free one
  // Who may read logs: clients with a certificate of this CA, or those who send the token. With neither, a token is
  // made and kept in the state folder.
  std::string client_ca_file;
  std::string log_token;
  // The cluster goes down and comes back with this agent: pods of which nothing was started wait for that at
  // shut_down(). Elsewhere they are ended like the others, so that another node gets their work.
  bool spares_unstarted_pods = false;
  std::string bwrap = "bwrap";
  std::vector<std::string> shim_command{"/proc/self/exe", "node-agent-shim"};
};

class NodeAgent {
 public:
  NodeAgent(asio::any_io_executor executor, asio::thread_pool& pool, Clock& clock, k8s::Client& client,
            NodeAgentOptions options);
  ~NodeAgent();  // shut_down() has returned, or start() was never called
  NodeAgent(const NodeAgent&) = delete;
  NodeAgent& operator=(const NodeAgent&) = delete;

  // Registers the Node, serves logs, takes over or ends what an earlier agent left, and follows the Node's pods from
  // then on. kFailedPrecondition when another agent uses the state folder or bubblewrap is missing.
  Task<Status> start();
  // A node that goes down: every pod gets TERM and its grace period, its end is reported (but see
  // spares_unstarted_pods), and the Node is NotReady.
  Task<void> shut_down();
  // Stops at once and leaves the pods running, as a kill -9 does, for the next agent.
  Task<void> abandon();

  [[nodiscard]] std::uint16_t log_port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace det::local
