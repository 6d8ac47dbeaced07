#pragma once

// The reconcilers of one leadership: informers feed two controllers (experiments, trials); others follow tasks,
// removals, logs and heartbeats, and a sweeper catches the rest. Constructed once by main; lead() runs while this
// process holds the lease. Belongs to the io thread.

#include <functional>
#include <string>

#include "base/audit_log.h"
#include "operator/gang/pod_group_backend.h"
#include "operator/services.h"

namespace det::op {

struct OperatorOptions {
  std::string ns;                            // empty: all namespaces
  std::string controller_class;              // objects of other classes are left alone
  bool is_default_class = true;              // objects that name no class are ours
  std::string default_owner = "determined";  // whose experiments are those that kubectl made
  std::string home_ns;                       // where the operator keeps what it remembers (the Lease's namespace)
  std::string default_ns;                    // where pods remove files of experiments whose namespace is gone
  int workers = 8;                           // reconciles of each kind at a time
  AuditLog* audit = nullptr;                 // told of tokens that are made; null: nobody is
};

class Leadership;

class Operator {
 public:
  // All but the settings and options are borrowed.
  Operator(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OperatorStores stores, accept::Gate& gate,
           pods::PodSettings settings, OperatorOptions options);

  // Until cancelled. Waits for the right database (DatabaseGuard), then starts a new epoch, so that an older leader's
  // writes are refused from then on.
  Task<void> lead();

  // Trials of these experiments (ids separated by spaces; empty: of any) have input for their searches. Ignored while
  // another process leads.
  void on_searcher_input(const std::string& experiments);
  // The row of a task that somebody started by itself changed. Ignored while another process leads.
  void on_task_changed(const std::string& task_id);
  // The run of a task or of a trial changed. Ignored while another process leads.
  void on_run_changed(const std::string& task_id);
  // What is to be removed from storage changed. Ignored while another process leads.
  void on_removals_changed();
  // The database can be asked again. Ignored while another process leads.
  void on_database_back();
  // Somebody gave a job another place in the queue. Ignored while another process leads.
  void on_queue_changed();
  // The pools changed: from now on this is the cluster's configuration.
  void set_master(const model::MasterConfig& master);
  // Whether this process reconciles now.
  [[nodiscard]] bool is_leading() const { return leading_ != nullptr; }
  // What is missing in the cluster for tasks to be run, for people; empty: nothing, or another process leads.
  [[nodiscard]] std::string tasks_missing() const;

 private:
  Task<void> lead_one_epoch();
  Task<store::Epoch> begin_epoch();
  Task<GangChoice> gangs_of_cluster();

  asio::any_io_executor executor_;
  k8s::Client& client_;
  Clock& clock_;
  OperatorStores stores_;
  accept::Gate& gate_;
  pods::PodSettings settings_;
  OperatorOptions options_;
  Leadership* leading_ = nullptr;  // set while leading
};

}  // namespace det::op
