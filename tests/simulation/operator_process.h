#pragma once

// One det-operator: what main/operator/control_plane.cc wires, without HTTP. The real stores, reconcilers and leader
// election on simulated transports. Belongs to the thread of the simulation; destroyed once it is_gone().

#include <map>
#include <string>
#include <vector>

#include "accept/gate.h"
#include "base/async.h"
#include "k8sclient/client.h"
#include "k8sclient/leader_elector.h"
#include "operator/operator.h"
#include "store/logs/log_writer.h"
#include "tests/simulation/api_calls.h"
#include "tests/simulation/database.h"
#include "tests/simulation/turns.h"

namespace det::simulation {

// Lines for people, which nothing depends on.
class Lines final : public store::LogSink {
 public:
  explicit Lines(std::vector<std::string>* kept) : kept_(kept) {}
  Task<Status> write(std::string task_id, std::vector<store::LogLine> lines, std::chrono::nanoseconds timeout) override;

 private:
  std::vector<std::string>* kept_;  // nothing: they are dropped
};

struct ProcessOptions {
  std::string identity;
  const Database* database = nullptr;
  int write_each = 1;
  model::MasterConfig master;
  Turns::Outage outage;
  Consequences consequences;
  std::vector<std::string>* lines = nullptr;  // the texts of task logs go there
};

class OperatorProcess {
 public:
  OperatorProcess(asio::any_io_executor executor, test::FakeApiServer& server, test::FakeClock& clock, Draw& draw,
                  FaultPlan& plan, ProcessOptions options);

  // Competes for the Lease, and reconciles while it has it.
  void start();
  // As kill -9: nothing that it does from now on reaches anybody. Its coroutines unwind.
  void kill();
  // Cut off from the API server; its transaction under way, if there is one, hangs. Until it is joined again.
  void cut_off(bool is_cut_off);
  [[nodiscard]] bool is_dead() const { return is_dead_; }
  [[nodiscard]] bool is_gone() const { return is_dead_ && group_.size() == 0; }
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] Turns& turns() { return turns_; }
  [[nodiscard]] std::uint64_t writes() const { return calls_.writes(); }
  void on_database_back() { operator_.on_database_back(); }
  // As main/operator/control_plane.cc hands on what the database says.
  void on_notify(const std::string& channel, const std::string& payload);

 private:
  std::string identity_;
  Turns turns_;
  pg::Pool pool_;
  store::ClusterStore cluster_{pool_};
  store::UserStore users_{pool_};
  store::ContextStore contexts_{pool_};
  store::ExperimentStore experiments_{pool_};
  store::TrialStore trials_{pool_};
  store::WebhookStore webhooks_{pool_};
  store::AllocationStore allocations_{pool_};
  store::CheckpointStore checkpoints_{pool_};
  store::SearcherEventStore searcher_{pool_};
  Lines lines_;
  store::TemplateStore templates_{pool_};
  store::ConfigPolicyStore config_policies_{pool_};
  store::WorkspaceStore workspaces_{pool_};
  store::TaskStore tasks_{pool_};
  store::ServiceStore services_{pool_};
  store::RemovalStore removals_{pool_};
  store::LogRetentionStore log_retention_{pool_};
  store::UnmanagedStore unmanaged_{pool_};
  store::QueuePlaceStore queue_places_{pool_};
  store::PoolBindingStore pool_bindings_{pool_};
  ApiCalls calls_;
  k8s::Client client_;
  accept::Gate gate_;
  op::Operator operator_;
  k8s::LeaderElector elector_;
  TaskGroup group_;
  bool is_dead_ = false;
};

}  // namespace det::simulation
