#pragma once

// One simulated world: operators, database, cluster, programs and people, in one thread, on a virtual clock. When
// nothing can run, the next transaction is taken or time jumps to the next timer, as the seed draws. The same seed,
// scenario and fault give the same run, call for call.

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "tests/simulation/cluster.h"
#include "tests/simulation/invariants.h"
#include "tests/simulation/operator_process.h"
#include "tests/simulation/scenario.h"

namespace det::simulation {

struct WorldOptions {
  std::uint64_t seed = 1;
  Fault fault;
  std::size_t faults_one_in = 0;  // of the operator's calls, besides `fault`; 0: none
};

struct RunResult {
  nlohmann::json outcome;
  std::vector<std::string> violations;
  std::vector<Call> calls;
  std::size_t calls_to_end = 0;  // those that were made before everything was over
  std::vector<Fault> injected;
  std::chrono::nanoseconds took{};  // virtual
  std::uint64_t writes = 0;         // of the operators to the API server
  std::uint64_t steps = 0;
  std::map<std::string, int> played;
};

class World {
 public:
  World(Database& database, const Scenario& scenario, WorldOptions options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  RunResult run();

  // For people.
  Task<void> until(std::function<bool()> claim);
  Task<void> sleep(std::chrono::milliseconds time);
  void create_experiment(const std::string& name, const nlohmann::json& config);
  // The first one, which the scenario's config made.
  void edit_experiment(const nlohmann::json& spec);
  // Merges `spec` into that of the object, as `kubectl patch` does.
  void edit(const k8s::Resource& resource, const k8s::ObjectKey& key, const nlohmann::json& spec);
  void delete_experiment();
  // From now on, for so long.
  void lose_database(std::chrono::milliseconds time);
  // Nothing of what its trials told has to be there at the end.
  void need_no_history_of(const std::string& experiment);
  // As the API does it: the same experiment, with a new object and `change` merged into its configuration.
  Task<void> continue_experiment(nlohmann::json change);
  // All of them, in the order in which they were made: "COMPLETED,ACTIVE".
  [[nodiscard]] std::string states();
  [[nodiscard]] int reported_steps() const { return record_.steps; }
  [[nodiscard]] Cluster& cluster() { return cluster_; }
  [[nodiscard]] test::FakeApiServer& server() { return server_; }
  [[nodiscard]] Database& database() { return database_; }
  // What operators wrote into logs of tasks.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  using Process = std::shared_ptr<OperatorProcess>;
  bool step();
  bool run_transaction();
  void bury();
  void start_operator(const std::string& identity);
  void on_killed(const std::string& identity);
  void on_usurped(const std::string& identity);
  [[nodiscard]] Process living(const std::string& identity) const;
  [[nodiscard]] Turns::Outage outage();
  void tell_input();
  void after(std::chrono::milliseconds delay, std::function<void()> what);
  static Task<void> wait_then(Clock& clock, std::chrono::milliseconds delay, std::function<void()> what);
  Task<void> live();
  Task<void> late(HttpRequest request, std::chrono::milliseconds delay);
  Task<int> train(std::map<std::string, std::string> environment);
  Task<int> run_task(std::string id);
  Task<void> watch_invariants();
  Task<void> sabotage();

  Database& database_;
  const Scenario& scenario_;
  asio::io_context io_;
  test::FakeClock clock_{io_};
  Draw draw_;
  FaultPlan plan_;
  test::FakeApiServer server_{io_.get_executor(), clock_};
  SteadyTime away_until_{};
  Replica replica_;
  Record record_;
  std::set<std::string> finished_gangs_;
  std::map<std::string, int> task_runs_;  // by task id
  Cluster cluster_;
  Invariants invariants_;
  std::vector<std::string> lines_;
  TaskGroup group_{io_.get_executor()};
  std::list<Process> operators_;
  std::uint64_t writes_ = 0;  // of those that are gone
  bool is_over_ = false;      // people have what they wanted
  std::size_t calls_to_end_ = 0;
  bool is_settled_ = false;  // nothing moves any more
  std::chrono::nanoseconds took_{};
};

}  // namespace det::simulation
