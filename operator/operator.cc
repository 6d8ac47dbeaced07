#include "operator/operator.h"

#include <algorithm>
#include <sstream>

#include "base/json_get.h"
#include "base/race.h"
#include "k8sclient/controller.h"
#include "operator/cluster/database_guard.h"
#include "operator/cluster/heartbeat_watch.h"
#include "operator/cluster/log_cleaner.h"
#include "operator/cluster/sweeper.h"
#include "operator/experiment/experiment_reconciler.h"
#include "operator/gang/make_backend.h"
#include "operator/gang/queue_follower.h"
#include "operator/object_changes.h"
#include "operator/reconcile_guard.h"
#include "operator/removal/collector.h"
#include "operator/task/task_control.h"
#include "operator/trial/trial_reconciler.h"
#include "operator/trial/trial_retirement.h"
#include "pods/names.h"

namespace det::op {
namespace {

constexpr std::chrono::seconds kSyncTimeout{600};
constexpr std::chrono::milliseconds kFirstRetry{250};
constexpr std::chrono::seconds kMaxRetry{10};
constexpr std::chrono::seconds kBetweenLooks{10};
constexpr std::chrono::milliseconds kPauseHeadStart{250};
// Events of an experiment or a trial come in bursts: of its pods, of its own status, of the database.
constexpr std::chrono::milliseconds kBetweenLooksAtExperiment{100};
constexpr std::chrono::milliseconds kBetweenLooksAtTrial{50};
constexpr const char* kById = "id";
constexpr const char* kLive = "live";  // experiments that are not over

k8s::ReflectorOptions watch_of(k8s::Resource resource, const OperatorOptions& options, std::string labels) {
  k8s::ReflectorOptions reflector;
  reflector.resource = std::move(resource);
  reflector.ns = options.ns;
  reflector.label_selector = std::move(labels);
  return reflector;
}

bool is_our_class(const std::string& controller_class, const OperatorOptions& options) {
  if (controller_class.empty()) return options.is_default_class;
  return controller_class == options.controller_class;
}

template <typename Observed>
bool is_ours(const Observed& object, const OperatorOptions& options) {
  return is_our_class(object.controller_class, options);
}

}  // namespace

// One leadership's machinery. Its parts point at each other, so it stays where it was made.
class Leadership {
 public:
  Leadership(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OperatorStores stores,
             accept::Gate& gate, pods::PodSettings settings, OperatorOptions options, store::Epoch epoch,
             GangChoice gangs)
      : options_(std::move(options)),
        ours_(std::string(pods::kLabelManagedBy) + "=" + pods::label_value(options_.controller_class)),
        experiments_(client, clock, executor, watch_of(k8s::experiments(), options_, ""), keep_experiment),
        trials_(client, clock, executor, watch_of(k8s::trials(), options_, ours_), keep_trial),
        pods_(client, clock, executor, watch_of(k8s::pods(), options_, ours_),
              [&clock](const nlohmann::json& object) { return see_pod(object, clock.wall_now()); }),
        events_(client, clock, executor, std::string(pods::kFieldManager)),
        services_{.client = client,
                  .events = events_,
                  .clock = clock,
                  .stores = stores,
                  .informers = {experiments_, trials_, pods_},
                  .gate = gate,
                  .settings = std::move(settings),
                  .epoch = epoch,
                  .lease = {.resource = k8s::leases(), .key = {options_.home_ns, options_.controller_class}, .uid = {}},
                  .audit = options_.audit,
                  .wake_experiment = [this](const std::string& key) { experiment_controller_.queue().add(key); },
                  .wake_trial = [this](const std::string& key) { trial_controller_.queue().add(key); }},
        backend_(make_backend(executor, services_, std::move(gangs), options_.ns,
                              pods::label_value(options_.controller_class),
                              [this](const WorkloadKey& owner) { wake(owner); })),
        queue_(services_, *backend_, executor),
        observer_(client, clock, pods_),
        runs_(client, clock, pods_, services_.settings),
        experiment_reconciler_(services_, options_.default_owner,
                               [this](const ObservedExperiment& object) { return is_ours(object, options_); }),
        trial_reconciler_(services_, *backend_, observer_, runs_),
        guard_(client, events_, clock),
        tasks_(executor, services_, *backend_, observer_, runs_, guard_,
               {.ns = options_.ns,
                .default_owner = options_.default_owner,
                .workers = options_.workers,
                .is_ours = [this](const ObservedTask& object) { return is_ours(object, options_); }}),
        sweeper_(services_, executor),
        collector_(services_, executor, options_.default_ns),
        log_cleaner_(services_),
        heartbeats_(clock, services_.stores.unmanaged, services_.stores.logs),
        experiment_controller_(
            "experiment", executor, clock,
            [this](std::string key, Logger log) { return reconcile_experiment(std::move(key), std::move(log)); },
            options_.workers, kBetweenLooksAtExperiment),
        trial_controller_(
            "trial", executor, clock,
            [this](std::string key, Logger log) { return reconcile_trial(std::move(key), std::move(log)); },
            options_.workers, kBetweenLooksAtTrial) {
    connect();
  }

  // Until cancelled, or until the epoch is over although the lease is ours: a former leader's rise of the epoch may
  // come late, after its lease and ours began. Or until gangs have to be scheduled otherwise.
  Task<void> run() {
    auto all = run_all();
    auto over = until_over();
    co_await first_of(std::move(all), std::move(over));
  }

  // What waits for a pool, or waits in one, looks again.
  void set_master(const model::MasterConfig& master) {
    services_.settings.master = master;
    wake_all();
  }

  // Also what has failed so often that its next try is minutes away.
  void wake_all() {
    wake_searches({});
    trials_.each([this](const k8s::ObjectKey& key, const KeptTrial& trial) {
      if (!is_finished(trial)) trial_controller_.queue().add(to_string(key));
    });
    tasks_.wake_all();
    collector_.wake();
    queue_.wake();
  }

  void wake_task(const std::string& id) {
    tasks_.wake(id);
    collector_.wake();
  }
  // Of trials there are many, and a plan of removals that waits for the end of a run looks again by itself.
  void wake_run(const std::string& id) { tasks_.wake(id); }
  void wake_collector() { collector_.wake(); }
  void wake_queue() { queue_.wake(); }
  [[nodiscard]] const std::string& tasks_missing() const { return tasks_.missing(); }

  // An experiment whose status does not hold its id yet is reconciled anyway, because it has just been accepted.
  void wake_searches(const std::string& experiments) {
    std::istringstream ids(experiments);
    bool is_named = false;
    for (std::string id; ids >> id; is_named = true) {
      for (const auto& [key, view] : experiments_.by_index(kById, id))
        experiment_controller_.queue().add(to_string(key));
    }
    if (is_named) return;
    for (const auto& [key, view] : experiments_.by_index(kLive, kLive))
      experiment_controller_.queue().add(to_string(key));
  }

 private:
  Task<void> until_over() {
    for (;;) {
      co_await services_.clock.sleep_for(kBetweenLooks);
      if (backend_->is_outdated()) co_return;
      const Status mine = co_await services_.stores.cluster.check(services_.epoch);
      if (mine || mine.error().code != ErrorCode::kFailedPrecondition) continue;
      log_.warn("another process raised the epoch, and the lease is ours: leading anew",
                {{"error", mine.error().message}});
      co_return;
    }
  }

  Task<void> run_all() {
    std::vector<Task<void>> parts;
    parts.push_back(experiments_.run());
    parts.push_back(trials_.run());
    parts.push_back(pods_.run());
    parts.push_back(events_.run());
    parts.push_back(work());
    co_await all_of(std::move(parts));
  }

  // Deciding on half a picture would start what already runs: nothing is reconciled before all three copies are
  // complete.
  Task<void> work() {
    while (!(co_await experiments_.wait_synced(kSyncTimeout) && co_await trials_.wait_synced(kSyncTimeout) &&
             co_await pods_.wait_synced(kSyncTimeout))) {
      log_.warn("the Kubernetes API has not delivered a complete list yet");
    }
    log_.info("leading", {{"experiments", experiments_.size()}, {"trials", trials_.size()}, {"pods", pods_.size()}});
    if (services_.settings.master.scheduler.was_mapped) {
      events_.publish(services_.lease, k8s::EventType::kWarning, "SchedulerMapped",
                      "resource_manager.default_scheduler: coscheduler is read as scheduler.type: own");
    }
    co_await queue_.read();
    std::vector<Task<void>> parts;
    parts.push_back(queue_.run());
    parts.push_back(experiment_controller_.run());
    parts.push_back(trial_controller_.run());
    parts.push_back(sweeper_.run());
    parts.push_back(backend_->run());
    parts.push_back(tasks_.run());
    parts.push_back(collector_.run());
    parts.push_back(log_cleaner_.run());
    parts.push_back(heartbeats_.run());
    co_await all_of(std::move(parts));
  }

  Task<Result<k8s::Outcome>> reconcile_experiment(std::string key, Logger log) {
    auto object = [this, key] { return reconciled(experiments_, k8s::experiments(), key); };
    return guard_.run(experiment_reconciler_.reconcile(key, log), std::move(object), log);
  }
  Task<Result<k8s::Outcome>> reconcile_trial(std::string key, Logger log) {
    auto object = [this, key] { return reconciled(trials_, k8s::trials(), key); };
    return guard_.run(trial_reconciler_.reconcile(key, log), std::move(object), log);
  }

  void wake(const WorkloadKey& owner) {
    if (owner.kind == WorkloadKind::kTask) {
      tasks_.wake(owner.key);
    } else {
      trial_controller_.queue().add(to_string(owner.key));
    }
  }

  void connect() {
    // Those of another class have numbers of another database.
    const auto only = [this](const KeptExperiment& kept, const std::string& value) {
      return std::vector<std::string>(is_ours(kept.head, options_) ? 1 : 0, value);
    };
    experiments_.add_index(kById, [only](const auto& kept) { return only(kept, std::to_string(kept.id)); });
    experiments_.add_index(
        kLive, [only](const auto& kept) { return kept.is_over ? decltype(only(kept, {})){} : only(kept, kLive); });
    trials_.add_index(kByOwner, [](const KeptTrial& kept) { return std::vector<std::string>{kept.head.owner_uid}; });
    pods_.set_carry_over(carry_over);
    pods_.add_index(kByWorkload, [](const PodFacts& pod) { return std::vector<std::string>{to_string(pod.owner)}; });
    experiments_.add_handler(
        [this](const k8s::ObjectKey& key, const KeptExperiment* before, const KeptExperiment* now) {
          if (now == nullptr) {
            sweeper_.wake();
            experiment_controller_.queue().add(to_string(key));  // what was kept of it goes
            return;
          }
          if (!is_ours(now->head, options_)) return;
          const bool is_status = before != nullptr && same_but_status(before->head, now->head);
          const bool is_told = is_status && is_overwritten(experiment_reconciler_, key, *before, *now);
          if (!is_status || before->state != now->state || is_told) experiment_controller_.queue().add(to_string(key));
          if (is_status) return;
          // suspend and stop of an Experiment are orders to its trials. A pause is told to all of them by the
          // Experiment's own reconcile in one statement, which hundreds of theirs would only keep waiting.
          const bool pauses = now->head.suspend && before != nullptr && !before->head.suspend;
          for (const auto& [trial, view] : trials_.by_index(kByOwner, now->head.uid)) {
            if (pauses) {
              trial_controller_.queue().add_after(to_string(trial), kPauseHeadStart);
            } else {
              trial_controller_.queue().add(to_string(trial));
            }
          }
        });
    trials_.add_handler([this](const k8s::ObjectKey& key, const KeptTrial* before, const KeptTrial* now) {
      const ObservedTrial& any = (now != nullptr ? now : before)->head;
      const bool only_status = before != nullptr && now != nullptr && same_but_status(before->head, now->head);
      // Of one that is gone, too: it may have waited in the queue.
      const bool is_told = only_status && is_overwritten(trial_reconciler_, key, *before, *now);
      if (!only_status || is_told) trial_controller_.queue().add(to_string(key));
      experiment_controller_.queue().add(key.ns + "/" + any.owner_name);
    });
    pods_.add_handler([this](const k8s::ObjectKey&, const PodFacts* before, const PodFacts* now) {
      const PodFacts& any = now != nullptr ? *now : *before;
      // What is noted of a pod goes when its owner is reconciled.
      if (any.owner.kind == WorkloadKind::kTask && !tasks_.is_running()) return;
      if (now == nullptr) observer_.note_gone(any);
      wake(any.owner);
    });
  }

  OperatorOptions options_;
  std::string ours_;
  Logger log_{"operator"};
  k8s::Informer<KeptExperiment> experiments_;
  k8s::Informer<KeptTrial> trials_;
  k8s::Informer<PodFacts> pods_;
  k8s::EventRecorder events_;
  OperatorServices services_;
  std::unique_ptr<GangBackend> backend_;
  QueueFollower queue_;
  RunObserver observer_;
  RunPods runs_;
  ExperimentReconciler experiment_reconciler_;
  TrialReconciler trial_reconciler_;
  ReconcileGuard guard_;
  TaskControl tasks_;
  Sweeper sweeper_;
  Collector collector_;
  LogCleaner log_cleaner_;
  HeartbeatWatch heartbeats_;
  k8s::Controller experiment_controller_;
  k8s::Controller trial_controller_;
};

Operator::Operator(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OperatorStores stores,
                   accept::Gate& gate, pods::PodSettings settings, OperatorOptions options)
    : executor_(std::move(executor)),
      client_(client),
      clock_(clock),
      stores_(stores),
      gate_(gate),
      settings_(std::move(settings)),
      options_(std::move(options)) {}

Task<store::Epoch> Operator::begin_epoch() {
  const Logger log("operator");
  std::chrono::nanoseconds delay = kFirstRetry;
  for (;;) {
    auto epoch = co_await stores_.cluster.raise_epoch();
    if (epoch) co_return *epoch;
    log.warn("the database is away; waiting to lead", {{"error", epoch.error().message}});
    co_await clock_.sleep_for(delay);
    delay = std::min<std::chrono::nanoseconds>(delay * 2, kMaxRetry);
  }
}

Task<GangChoice> Operator::gangs_of_cluster() {
  for (;;) {
    auto choice = co_await choose_gangs(client_, settings_.master.scheduler.type);
    if (choice) co_return std::move(*choice);
    Logger("operator").warn("the Kubernetes API cannot be asked for its kinds", {{"error", choice.error().message}});
    co_await clock_.sleep_for(kMaxRetry);
  }
}

Task<void> Operator::lead() {
  DatabaseGuardOptions guarded{
      .ns = options_.home_ns,
      .name = options_.controller_class + "-database",
      .objects_ns = options_.ns,
      .is_ours = [this](const std::string& controller_class) { return is_our_class(controller_class, options_); }};
  DatabaseGuard guard(client_, clock_, stores_.cluster, std::move(guarded));
  for (;;) {
    co_await guard.admit();  // an epoch may have ended because another database answers
    co_await lead_one_epoch();
  }
}

Task<void> Operator::lead_one_epoch() {
  const store::Epoch epoch = co_await begin_epoch();
  GangChoice gangs = co_await gangs_of_cluster();
  Leadership leadership(executor_, client_, clock_, stores_, gate_, settings_, options_, epoch, std::move(gangs));
  leading_ = &leadership;
  struct End {
    Leadership*& leading;
    ~End() { leading = nullptr; }
  };
  const End end{leading_};
  leadership.set_master(settings_.master);
  co_await leadership.run();
}

void Operator::set_master(const model::MasterConfig& master) {
  settings_.master = master;
  if (leading_ != nullptr) leading_->set_master(settings_.master);
}

void Operator::on_searcher_input(const std::string& experiments) {
  if (leading_ != nullptr) leading_->wake_searches(experiments);
}

void Operator::on_task_changed(const std::string& task_id) {
  if (leading_ != nullptr) leading_->wake_task(task_id);
}

void Operator::on_run_changed(const std::string& task_id) {
  if (leading_ != nullptr) leading_->wake_run(task_id);
}

void Operator::on_removals_changed() {
  if (leading_ != nullptr) leading_->wake_collector();
}

void Operator::on_database_back() {
  if (leading_ != nullptr) leading_->wake_all();
}

void Operator::on_queue_changed() {
  if (leading_ != nullptr) leading_->wake_queue();
}

std::string Operator::tasks_missing() const {
  return leading_ == nullptr ? std::string() : leading_->tasks_missing();
}

}  // namespace det::op
