#include "tests/simulation/world.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "operator/live_states.h"
#include "pods/names.h"
#include "tests/simulation/removing.h"

namespace det::simulation {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kFirst = "operator-a";
constexpr const char* kSecond = "operator-b";
const k8s::ObjectKey kExperiment{.ns = "ml", .name = "exp"};

// Transactions are quicker than most timers; one that is due so soon may still come first.
constexpr milliseconds kSoon{20};
constexpr seconds kCutOffFor{60};
constexpr milliseconds kPeopleLook{300};
constexpr milliseconds kInvariantsLook{1'000};
// After the end: what is written behind it arrives, what must go is gone.
constexpr seconds kQuietFor{5};
constexpr seconds kSettling{200};
constexpr std::chrono::minutes kLongest{20};
constexpr std::uint64_t kMostSteps = 5'000'000;

}  // namespace

World::World(Database& database, const Scenario& scenario, WorldOptions options)
    : database_(database),
      scenario_(scenario),
      draw_(options.seed),
      plan_(options.fault, options.faults_one_in, draw_),
      replica_(database, outage()),
      cluster_(
          io_.get_executor(), server_, clock_, draw_,
          [this](std::map<std::string, std::string> environment) { return train(std::move(environment)); },
          scenario.broken),
      invariants_(database, server_, cluster_, clock_) {
  database_.set_time(clock_.wall_now());
  for (const auto& [name, gpus] : scenario_.nodes) cluster_.add_node(name, gpus);
  if (scenario_.gpu_quota > 0) cluster_.set_quota(kExperiment.ns, scenario_.gpu_quota);
  server_.create(k8s::namespaces(), {{"metadata", {{"name", kExperiment.ns}}}});
}

World::~World() {
  group_.cancel();
  cluster_.stop();
  for (const auto& process : operators_) process->kill();
  while (group_.size() > 0 || !cluster_.is_idle() || !operators_.empty()) {
    bury();
    if (!step()) io_.run_one_for(milliseconds(1));
  }
}

RunResult World::run() {
  group_.spawn("cluster", cluster_.run());
  group_.spawn("people", live());
  group_.spawn("invariants", watch_invariants());
  if (!scenario_.broken.sql.empty()) group_.spawn("sabotage", sabotage());
  start_operator(kFirst);
  RunResult result;
  const auto longest = std::chrono::nanoseconds(kLongest);
  while (!is_settled_) {
    if (clock_.elapsed() > longest || result.steps > kMostSteps || !step()) {
      invariants_.add("it has not ended after " +
                      std::to_string(std::chrono::duration_cast<seconds>(clock_.elapsed()).count()) + " s, " +
                      std::to_string(result.steps) + " steps; the experiments are " + states());
      took_ = clock_.elapsed();
      break;
    }
    ++result.steps;
    invariants_.check_now();
    bury();
  }
  if (!scenario_.broken.sql_at_end.empty()) database_.execute(scenario_.broken.sql_at_end);
  invariants_.check_end(record_);
  invariants_.check_removals(record_, scenario_.keeps);
  result.outcome = invariants_.outcome(scenario_.free);
  result.violations = invariants_.violations();
  result.calls = plan_.calls();
  result.calls_to_end = calls_to_end_;
  result.injected = plan_.injected();
  result.took = took_;
  result.writes = writes_;
  for (const auto& process : operators_) result.writes += process->writes();
  result.played = cluster_.played();
  return result;
}

bool World::step() {
  io_.restart();
  if (io_.poll_one() > 0) return true;
  const auto next = clock_.until_next();
  const bool is_timer_first = next && *next <= kSoon && draw_.one_in(4);
  if (!is_timer_first && run_transaction()) return true;
  if (clock_.wake_next()) return true;
  return run_transaction();
}

// Of one process, the first one drawn.
bool World::run_transaction() {
  std::vector<Turns*> turns = {&replica_.turns};
  for (const auto& process : operators_) turns.push_back(&process->turns());
  const std::size_t first = draw_.below(turns.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    Turns& next = *turns[(first + i) % turns.size()];
    if (!next.has_next()) continue;
    database_.set_time(clock_.wall_now());
    next.run_next();
    if (next.has_written()) tell_input();
    return true;
  }
  return false;
}

void World::bury() {
  std::erase_if(operators_, [this](const Process& process) {
    if (!process->is_gone()) return false;
    writes_ += process->writes();
    return true;
  });
}

World::Process World::living(const std::string& identity) const {
  const auto found = std::ranges::find_if(
      operators_, [&](const Process& process) { return !process->is_dead() && process->identity() == identity; });
  return found == operators_.end() ? nullptr : *found;
}

void World::start_operator(const std::string& identity) {
  if (living(identity)) return;
  ProcessOptions options{
      .identity = identity, .database = &database_, .master = {}, .outage = outage(), .lines = &lines_};
  options.master.max_slots_per_pod = scenario_.max_slots_per_pod;
  options.write_each = scenario_.broken.writes_each;
  if (scenario_.broken.bind_timeout.count() > 0) {
    options.master.scheduler.bind_timeout = scenario_.broken.bind_timeout;
  }
  options.consequences = {
      .killed = [this, identity] { on_killed(identity); },
      .usurped = [this, identity] { on_usurped(identity); },
      .deliver_late = [this](HttpRequest request,
                             milliseconds delay) { group_.spawn("late", late(std::move(request), delay)); }};
  operators_.push_back(
      std::make_shared<OperatorProcess>(io_.get_executor(), server_, clock_, draw_, plan_, std::move(options)));
  operators_.back()->start();
}

// kill -9, and whoever looks after it starts it anew.
void World::on_killed(const std::string& identity) {
  if (const Process process = living(identity)) process->kill();
  after(draw_.between(milliseconds(100), seconds(3)), [this, identity] { start_operator(identity); });
}

void World::on_usurped(const std::string& identity) {
  if (const Process process = living(identity)) process->cut_off(true);
  const std::string other = identity == kFirst ? kSecond : kFirst;
  after(draw_.between(milliseconds(0), milliseconds(500)), [this, other] { start_operator(other); });
  after(kCutOffFor, [this, identity] {
    if (const Process process = living(identity)) process->cut_off(false);
  });
}

Task<void> World::late(HttpRequest request, milliseconds delay) {
  co_await clock_.sleep_for(delay);
  co_await server_.send(std::move(request));
}

Turns::Outage World::outage() {
  return {.is_away = [this] { return clock_.steady_now() < away_until_; },
          .away = [this] { lose_database(draw_.between(seconds(1), seconds(5))); }};
}

void World::lose_database(milliseconds time) {
  away_until_ = clock_.steady_now() + time;
  // Whoever listens connects again, and has missed what was said meanwhile.
  after(time + milliseconds(200), [this] {
    for (const Process& process : operators_) process->on_database_back();
  });
}

void World::tell_input() {
  database_.changed();
  for (const auto& [channel, payload] : database_.notifications()) {
    if (clock_.steady_now() < away_until_) continue;
    for (const Process& process : operators_) {
      after(draw_.between(milliseconds(0), milliseconds(30)), [process = std::weak_ptr(process), channel, payload] {
        if (const Process alive = process.lock()) alive->on_notify(channel, payload);
      });
    }
  }
}

Task<void> World::wait_then(Clock& clock, milliseconds delay, std::function<void()> what) {
  co_await clock.sleep_for(delay);
  what();
}

void World::after(milliseconds delay, std::function<void()> what) {
  group_.spawn("later", wait_then(clock_, delay, std::move(what)));
}

Task<int> World::train(std::map<std::string, std::string> environment) {
  if (environment.contains("DET_GC_EXPERIMENT_ID")) {
    Removing removing(clock_, draw_, replica_, record_, std::move(environment), scenario_.first_removal_fails);
    co_return co_await removing.run();
  }
  if (!environment.contains("DET_TRIAL_ID")) co_return co_await run_task(environment["DET_TASK_ID"]);
  Training training(clock_, draw_, database_, replica_, scenario_.plan, record_, finished_gangs_,
                    std::move(environment), [this] { tell_input(); });
  co_return co_await training.run();
}

Task<int> World::run_task(std::string id) {
  const int run = ++task_runs_[id];
  co_await sleep(scenario_.task.time);
  co_return scenario_.task.exit_code ? scenario_.task.exit_code(run) : 0;
}

Task<void> World::watch_invariants() {
  SteadyTime noisy = clock_.steady_now();
  while (!is_settled_) {
    co_await clock_.sleep_for(kInvariantsLook);
    invariants_.look();
    const SteadyTime now = clock_.steady_now();
    if (!is_over_ || !invariants_.is_quiet()) noisy = now;
    is_settled_ = is_over_ && (now - noisy > kQuietFor || clock_.elapsed() > took_ + kSettling);
  }
}

// People.
Task<void> World::live() {
  co_await sleep(draw_.between(milliseconds(0), seconds(2)));
  create_experiment(kExperiment.name, scenario_.config);
  if (scenario_.act) co_await scenario_.act(*this);
  co_await until([this] {
    const std::string all = states();
    return !all.empty() && all.find("ING") == std::string::npos && all.find("ACTIVE") == std::string::npos &&
           all.find("PAUSED") == std::string::npos && invariants_.has_removed_all();
  });
  plan_.rest();
  calls_to_end_ = plan_.calls().size();
  took_ = clock_.elapsed();
  is_over_ = true;
}

Task<void> World::sabotage() {
  co_await until([this] { return record_.steps >= 2; });
  database_.execute(scenario_.broken.sql);
}

Task<void> World::sleep(milliseconds time) {
  co_await clock_.sleep_for(time);
}

Task<void> World::until(std::function<bool()> claim) {
  while (!claim()) co_await clock_.sleep_for(kPeopleLook);
}

void World::create_experiment(const std::string& name, const json& config) {
  server_.create(k8s::experiments(),
                 {{"metadata", {{"name", name}, {"namespace", kExperiment.ns}}}, {"spec", {{"config", config}}}});
}

std::string World::states() {
  return database_.value("SELECT string_agg(state, ',' ORDER BY id) FROM experiments");
}

void World::edit_experiment(const json& spec) {
  edit(k8s::experiments(), kExperiment, spec);
}

void World::edit(const k8s::Resource& resource, const k8s::ObjectKey& key, const json& spec) {
  json object = server_.find(resource, key);
  object["spec"].merge_patch(spec);
  json& metadata = object["metadata"];
  metadata["generation"] = get_integer(metadata, "generation") + 1;
  server_.overwrite(resource, key, std::move(object));
}

void World::delete_experiment() {
  server_.ask_to_delete(k8s::experiments(), kExperiment);
}

void World::need_no_history_of(const std::string& experiment) {
  const std::string trials =
      "(SELECT t.id FROM trials t JOIN experiments e ON e.id = t.experiment_id WHERE "
      "e.object_name = '" +
      experiment + "')";
  for (const std::string& id : database_.column("SELECT id FROM trials WHERE id IN " + trials)) {
    record_.hparams.erase(std::stoll(id));
    std::erase_if(record_.reports, [&](const Acknowledged& one) { return one.trial == std::stoll(id); });
  }
  for (const std::string& uuid : database_.column("SELECT uuid FROM checkpoints WHERE trial_id IN " + trials)) {
    record_.checkpoints.erase(uuid);
    record_.unneeded.insert(uuid);
  }
}

Task<void> World::continue_experiment(json change) {
  delete_experiment();
  server_.delete_dependents();
  co_await until([this] { return server_.find(k8s::experiments(), kExperiment).is_null(); });
  const model::ExperimentId id{std::stoll(database_.value("SELECT id FROM experiments"))};
  const std::string nonce = "c0000000-0000-4000-8000-000000000001";
  json config = json::parse(database_.value("SELECT config::text FROM experiments"));
  config.merge_patch(change);
  const store::ContinuedExperiment continued{
      .nonce = nonce, .config = config, .original_config = config.dump(), .config_hash = "of-" + nonce};
  const std::string before = database_.value("SELECT nonce FROM experiments");
  while (!co_await replica_.experiments.claim_to_continue(id, before, nonce)) co_await sleep(kPeopleLook);
  while (!co_await replica_.experiments.prepare_to_continue(id, continued)) co_await sleep(kPeopleLook);
  const json made = server_.create(k8s::experiments(), {{"metadata",
                                                         {{"name", kExperiment.name},
                                                          {"namespace", kExperiment.ns},
                                                          {"annotations", {{pods::kAnnotationNonce, nonce}}}}},
                                                        {"spec", {{"config", config}}}});
  const std::string uid = get_string(get_any(made, "metadata"), "uid");
  while (!co_await replica_.experiments.adopt(nonce, uid, kExperiment.ns, kExperiment.name)) {
    co_await sleep(kPeopleLook);
  }
  // A lost answer is not told apart from a refusal: then it is active already.
  while (!co_await replica_.experiments.revive(id, nonce) && states() == "COMPLETED") co_await sleep(kPeopleLook);
}

}  // namespace det::simulation
