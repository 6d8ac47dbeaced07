#include "tests/simulation/invariants.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "base/json_get.h"
#include "operator/gang/pod_exit.h"
#include "operator/gang/pod_facts.h"
#include "operator/views.h"
#include "searcher/make_search.h"
#include "searcher/replay.h"

namespace det::simulation {
namespace {

using nlohmann::json;
using std::chrono::seconds;

// A gang that is not bound is withdrawn after 60 s; a change of leaders takes 20 s and an outage 5.
constexpr seconds kHalfGang{120};
// A lost pod is given up 60 s after its grace, a deleted one has 30 s.
constexpr seconds kOrphan{180};
constexpr seconds kOpenAfterEnd{60};
constexpr std::size_t kMostViolations = 20;

constexpr const char* kTrials = R"(
SELECT concat_ws('|', t.id, t.run, (t.state IN ('COMPLETED', 'CANCELED', 'ERROR'))::int,
                 (SELECT string_agg(a.run::text, ',' ORDER BY a.run) FROM allocations a
                  WHERE a.trial_id = t.id AND a.ended_at IS NULL))
FROM trials t ORDER BY t.id)";

constexpr const char* kReports = R"(
SELECT concat_ws('|', s.trial_id, s.run, s.grp, m.steps, count(*), min(m.values[1]))
FROM metrics m JOIN series s ON s.id = m.series_id GROUP BY s.trial_id, s.run, s.grp, m.steps)";

constexpr const char* kOutcome = R"(
SELECT json_build_object('request_id', t.request_id, 'state', t.state, 'hparams', t.hparams, 'seed', t.seed,
  'run', t.run, 'restarts', t.restarts, 'infra_restarts', t.infra_restarts, 'early_exit', t.early_exit,
  'best_metric', t.best_metric,
  'warm_start', (SELECT w.request_id || ' after ' || c.steps FROM checkpoints c JOIN trials w ON w.id = c.trial_id
                 WHERE c.uuid::text = t.warm_start_checkpoint::text),
  'steps', (SELECT max(m.steps) FROM metrics m JOIN visible_series v ON v.id = m.series_id
            WHERE v.trial_id = t.id AND m.steps <= v.last_steps),
  'checkpoint', (SELECT max(c.steps) FROM checkpoints c WHERE c.trial_id = t.id AND c.state = 'COMPLETED'))::text
FROM trials t ORDER BY t.experiment_id, t.request_id)";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string report_key(const Acknowledged& report) {
  return std::to_string(report.trial) + "|" + std::to_string(report.run) + "|" + report.group + "|" +
         std::to_string(report.steps);
}

}  // namespace

void Invariants::add(std::string violation) {
  if (violations_.size() >= kMostViolations || std::ranges::find(violations_, violation) != violations_.end()) return;
  violations_.push_back(std::move(violation));
}

void Invariants::check_now() {
  std::map<std::string, int> runs;
  for (const auto& [uid, container] : cluster_.running()) {
    const auto [known, is_new] = runs.emplace(container.workload, container.run);
    if (!is_new && known->second != container.run) {
      add("trial " + container.workload + " runs twice at once: runs " + std::to_string(known->second) + " and " +
          std::to_string(container.run));
    }
  }
}

std::map<std::int64_t, Invariants::TrialFacts> Invariants::trials() {
  std::map<std::int64_t, TrialFacts> trials;
  for (const std::string& row : database_.column(kTrials)) {
    const auto fields = split(row, '|');
    TrialFacts& facts = trials[std::stoll(fields[0])];
    facts.run = std::stoi(fields[1]);
    facts.is_over = fields[2] == "1";
    if (fields.size() < 4) continue;
    for (const std::string& run : split(fields[3], ',')) facts.open_runs.push_back(std::stoi(run));
  }
  return trials;
}

void Invariants::look() {
  const auto rows = trials();
  for (const auto& [id, facts] : rows) {
    const std::string name = "trial " + std::to_string(id);
    if (facts.open_runs.size() > 1) add(name + " has two open allocations");
    if (facts.open_runs.size() == 1 && facts.open_runs.front() != facts.run) {
      add(name + " is at run " + std::to_string(facts.run) + ", and run " + std::to_string(facts.open_runs.front()) +
          " is open");
    }
    int& last = last_runs_[id];
    if (facts.run < last) add(name + " went back from run " + std::to_string(last));
    last = facts.run;
    bound(name + " is over and its allocation is open", facts.is_over && !facts.open_runs.empty(), kOpenAfterEnd);
  }
  look_at_pods(rows);
  look_at_secrets();
}

void Invariants::look_at_pods(const std::map<std::int64_t, TrialFacts>& trials) {
  struct Gang {
    std::int64_t trial = 0;
    int size = 1;
    int present = 0;
    bool has_ended = false;
  };
  std::map<std::string, Gang> gangs;
  for (const test::StoredObject& shared : server_.shared(k8s::trials())) {
    const json& object = *shared;
    const op::ObservedTrial view = op::view_trial(object);
    gangs[view.key.name] = {.trial = view.trial_id, .size = std::max(view.pods, 1)};
  }
  const WallTime now = clock_.wall_now();
  std::set<std::string> orphans;
  for (const test::StoredObject& shared : server_.shared(k8s::pods())) {
    const json& object = *shared;
    const op::PodFacts pod = op::view_pod(object);
    if (pod.owner.kind == op::WorkloadKind::kTask) {
      const bool has_task = !server_.find(k8s::tasks(), pod.owner.key).is_null();
      if (!has_task) orphans.insert("pod " + pod.key.name + " is there without its Task");
      continue;
    }
    const auto gang = gangs.find(pod.owner.key.name);
    const auto row = gang == gangs.end() ? trials.end() : trials.find(gang->second.trial);
    const bool is_wanted = row != trials.end() && std::ranges::count(row->second.open_runs, pod.run) > 0;
    if (row != trials.end() && pod.run > row->second.run)
      add("pod " + pod.key.name + " is of a run that does not exist");
    const bool is_alive = op::is_alive(pod, now);
    if (!is_wanted && is_alive) orphans.insert("pod " + pod.key.name + " is alive, and nobody wants it");
    if (gang == gangs.end()) orphans.insert("pod " + pod.key.name + " is there without its Trial");
    if (!is_wanted) continue;
    if (is_alive && !pod.deleting && !pod.node.empty()) ++gang->second.present;
    gang->second.has_ended = gang->second.has_ended || !is_alive || pod.deleting || pod.exit_code.has_value();
  }
  std::erase_if(since_, [&](const auto& e) { return e.first.starts_with("pod ") && !orphans.contains(e.first); });
  for (const std::string& orphan : orphans) bound(orphan, true, kOrphan);
  for (const auto& [name, gang] : gangs) {
    const bool is_half = gang.present > 0 && gang.present < gang.size && !gang.has_ended;
    bound("half of the gang of " + name + " is there", is_half, kHalfGang);
  }
}

void Invariants::look_at_secrets() {
  std::set<std::string> owners;
  for (const auto& kind : {k8s::trials(), k8s::tasks()}) {
    for (const auto& object : server_.shared(kind)) owners.insert(get_string(get_object(*object, "metadata"), "uid"));
  }
  std::set<std::string> orphans;
  for (const test::StoredObject& shared : server_.shared(k8s::secrets())) {
    const json& object = *shared;
    const json& metadata = get_object(object, "metadata");
    const json& references = get_array(metadata, "ownerReferences");
    const bool is_owned = std::ranges::any_of(
        references, [&](const json& reference) { return owners.contains(get_string(reference, "uid")); });
    if (!is_owned) orphans.insert("Secret " + get_string(metadata, "name") + " is nobody's");
  }
  std::erase_if(since_, [&](const auto& e) { return e.first.starts_with("Secret ") && !orphans.contains(e.first); });
  for (const std::string& orphan : orphans) bound(orphan, true, kOrphan);
}

void Invariants::bound(const std::string& what, bool is_bad, seconds limit) {
  if (!is_bad) {
    since_.erase(what);
    return;
  }
  const auto [since, is_new] = since_.emplace(what, clock_.steady_now());
  if (clock_.steady_now() - since->second > limit) add(what + " for more than " + std::to_string(limit.count()) + " s");
}

bool Invariants::is_quiet() {
  if (!cluster_.running().empty() || !since_.empty() || !has_removed_all()) return false;
  for (const auto& [id, facts] : trials()) {
    if (!facts.open_runs.empty() || !facts.is_over) return false;
  }
  // Statuses are written behind what they tell of.
  for (const auto& [kind, table] : {std::pair(k8s::experiments(), "experiments"), std::pair(k8s::trials(), "trials")}) {
    for (const test::StoredObject& shared : server_.shared(kind)) {
      const json& object = *shared;
      const std::string uid = get_string(get_object(object, "metadata"), "uid");
      const std::string state =
          database_.value(std::string("SELECT state FROM ") + table + " WHERE uid = '" + uid + "'");
      if (get_string(get_object(object, "status"), "state") != state) return false;
    }
  }
  const WallTime now = clock_.wall_now();
  return std::ranges::none_of(server_.shared(k8s::pods()), [&](const test::StoredObject& object) {
    return op::is_alive(op::view_pod(*object), now);
  });
}

void Invariants::check_end(const Record& record) {
  look();
  for (const auto& [id, facts] : trials()) {
    const std::string name = "trial " + std::to_string(id);
    if (!facts.is_over) add(name + " is not over at the end");
    if (!facts.open_runs.empty()) add(name + " has an open allocation at the end");
    const std::string runs = database_.value(
        "SELECT count(*) || ',' || coalesce(max(run), 0) FROM allocations WHERE trial_id = " + std::to_string(id));
    const std::string expected = std::to_string(facts.run) + "," + std::to_string(facts.run);
    if (runs != expected) add(name + " has other allocations than its runs: " + runs + " and not " + expected);
  }
  if (!cluster_.running().empty()) add("a container runs at the end");
  for (const test::StoredObject& shared : server_.shared(k8s::pods())) {
    const json& object = *shared;
    const op::PodFacts pod = op::view_pod(object);
    if (op::is_alive(pod, clock_.wall_now())) add("pod " + pod.key.name + " is alive at the end");
  }
  check_reports(record);
  check_log();
}

void Invariants::check_reports(const Record& record) {
  std::map<std::string, std::pair<int, double>> rows;
  for (const std::string& row : database_.column(kReports)) {
    const auto fields = split(row, '|');
    rows[fields[0] + "|" + fields[1] + "|" + fields[2] + "|" + fields[3]] = {std::stoi(fields[4]),
                                                                             std::stod(fields[5])};
  }
  for (const Acknowledged& report : record.reports) {
    const auto found = rows.find(report_key(report));
    if (found == rows.end()) {
      add("the acknowledged report " + report_key(report) + " is lost");
    } else if (found->second.first != 1) {
      add("the acknowledged report " + report_key(report) + " is there " + std::to_string(found->second.first) +
          " times");
    } else if (found->second.second != report.value) {
      add("the acknowledged report " + report_key(report) + " has another value");
    }
  }
  for (const auto& [trial, hparams] : record.hparams) {
    const std::string known = database_.value("SELECT hparams::text FROM trials WHERE id = " + std::to_string(trial));
    if (known.empty() || json::parse(known) == json::parse(hparams)) continue;
    add("trial " + std::to_string(trial) + " was last run with " + hparams + ", and is known to have " + known);
  }
  for (const std::string& uuid : record.checkpoints) {
    const std::string state = record.removed.contains(uuid) ? "DELETED" : "COMPLETED";
    if (database_.value("SELECT count(*) FROM checkpoints WHERE uuid = '" + uuid + "' AND state = '" + state + "'") !=
        "1")
      add("the acknowledged checkpoint " + uuid + " is lost");
  }
}

bool Invariants::has_removed_all() {
  return database_.value(
             "SELECT (SELECT count(*) FROM removals WHERE state = 'PENDING') + (SELECT count(*) FROM experiments WHERE "
             "collection = 'DUE')") == "0";
}

void Invariants::check_removals(const Record& record, const std::string& keeps) {
  if (!has_removed_all()) add("what the policies give up is not gone at the end");
  for (const std::string& uuid : database_.column("SELECT uuid FROM checkpoints WHERE state = 'DELETED'")) {
    if (!record.removed.contains(uuid)) add("checkpoint " + uuid + " is called deleted, and its files are there");
  }
  for (const std::string& uuid : record.removed) {
    if (!record.checkpoints.contains(uuid)) add("files of " + uuid + " were removed, which nobody saved");
  }
  if (keeps.empty()) {
    if (!record.removed.empty()) add("files were removed that nobody gave up");
    return;
  }
  for (const std::string& steps : database_.column(
           "SELECT coalesce((SELECT string_agg(DISTINCT c.steps::text, ',') FROM checkpoints c WHERE c.trial_id = t.id "
           "AND c.state = 'COMPLETED'), '') FROM trials t")) {
    if (steps != keeps) add("of a trial the checkpoints at " + steps + " are left, and not at " + keeps);
  }
}

void Invariants::check_log() {
  for (const std::string& id : database_.column("SELECT id FROM experiments ORDER BY id")) {
    const json config = json::parse(database_.value("SELECT config::text FROM experiments WHERE id = " + id));
    auto search = searcher::search_of(config);
    if (!search) {
      add("the search of experiment " + id + " cannot be made: " + search.error().message);
      continue;
    }
    searcher::Replay replay(*search, 0);
    const auto entries = database_.column(
        "SELECT json_build_object('seq', seq, 'event', event, 'decisions', decisions)::text FROM searcher_events "
        "WHERE experiment_id = " +
        id + " ORDER BY seq");
    if (entries.empty()) add("experiment " + id + " has no log");
    for (const std::string& text : entries) {
      json entry = json::parse(text);
      const auto taken = replay.take({.seq = entry["seq"].get<std::int64_t>(),
                                      .event = std::move(entry["event"]),
                                      .decisions = std::move(entry["decisions"])});
      if (taken) continue;
      add("the log of experiment " + id + " does not replay: " + taken.error().message);
      break;
    }
  }
}

json Invariants::outcome(const std::vector<std::string>& free) {
  json outcome = {{"experiments", database_.column("SELECT name || ' ' || state FROM experiments ORDER BY id")},
                  {"trials", json::array()},
                  {"objects", json::array()}};
  for (const std::string& row : database_.column(kOutcome)) {
    json trial = json::parse(row);
    for (const std::string& name : free) trial.erase(name);
    outcome["trials"].push_back(std::move(trial));
  }
  std::sort(outcome["trials"].begin(), outcome["trials"].end());
  for (const auto& kind : {k8s::experiments(), k8s::trials()}) {
    for (const test::StoredObject& shared : server_.shared(kind)) {
      const json& object = *shared;
      const json& status = get_object(object, "status");
      json told = {{"kind", kind.kind}, {"state", get_any(status, "state")}};
      if (status.contains("trials")) told["trials"] = status["trials"];
      if (outcome["experiments"].empty()) told["conditions"] = get_any(status, "conditions");
      outcome["objects"].push_back(std::move(told));
    }
  }
  // Their names have numbers, of which a lost transaction uses some up.
  std::sort(outcome["objects"].begin(), outcome["objects"].end());
  // Without its objects nothing of an experiment stays in the cluster.
  if (outcome["objects"].empty()) {
    outcome["left"] = {{"secrets", server_.shared(k8s::secrets()).size()},
                       {"pods", server_.shared(k8s::pods()).size()}};
  }
  return outcome;
}

}  // namespace det::simulation
