// det experiment set gc-policy: which checkpoints of an experiment are kept, and before that what would go.

#include <algorithm>

#include "cli/confirm.h"
#include "cli/experiment_tables.h"
#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct PolicyOptions {
  std::int64_t id = 0;
  std::int64_t experiment_best = 0;
  std::int64_t trial_best = 0;
  std::int64_t trial_latest = 0;
  bool yes = false;
};

Task<Status> show_preview(World& world, MasterClient client, PolicyOptions options) {
  const auto answer = co_await client.get("/experiments/" + std::to_string(options.id) + "/preview_gc",
                                          {{"save_experiment_best", std::to_string(options.experiment_best)},
                                           {"save_trial_best", std::to_string(options.trial_best)},
                                           {"save_trial_latest", std::to_string(options.trial_latest)}});
  DET_CO_TRY(answer);
  const Json checkpoints = field(*answer, "checkpoints");
  if (!checkpoints.empty()) {
    world.out << "Checkpoints that this policy deletes:\n";
    print_table(world, removed_checkpoint_list(checkpoints, text_field(*answer, "metric_name")), false);
  }
  const auto validated = std::ranges::count_if(checkpoints, is_validated);
  world.out << "This policy will delete " << validated << " checkpoints with validations and "
            << std::ssize(checkpoints) - validated << " checkpoints without validations." << std::endl;
  co_return Status();
}

Task<Result<int>> set_policy(Invocation in, PolicyOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  if (!options.yes) {
    DET_CO_TRY(co_await show_preview(in.world, session->client, options));
    const auto is_meant = confirmed(in.world,
                                    "What a policy deletes is gone for good, and later checkpoints follow it, too.\n"
                                    "Do you want experiment " +
                                        std::to_string(options.id) + " to have it?");
    DET_CO_TRY(is_meant);
    if (!*is_meant) {
      in.world.out << "Aborting operations.\n";
      co_return kDone;
    }
  }
  const Json body = {{"id", options.id},
                     {"checkpointStorage",
                      {{"saveExperimentBest", options.experiment_best},
                       {"saveTrialBest", options.trial_best},
                       {"saveTrialLatest", options.trial_latest}}}};
  const auto done = co_await session->client.send("PATCH", "/api/v1/experiments/" + std::to_string(options.id), body);
  DET_CO_TRY(done);
  in.world.out << "Set GC policy of experiment " << options.id
               << " to\n{'save_experiment_best': " << options.experiment_best
               << ", 'save_trial_best': " << options.trial_best << ", 'save_trial_latest': " << options.trial_latest
               << "}\n";
  co_return kDone;
}

}  // namespace

void add_gc_policy(Program& program, CLI::App* set) {
  CLI::App* leaf = program.add_leaf(*set, "gc-policy", {}, "set which checkpoints of an experiment are kept");
  auto o = std::make_shared<PolicyOptions>();
  add_id(leaf, "experiment_id", o->id, "experiment ID to modify");
  const auto add_number = [leaf](const std::string& name, std::int64_t& into, const std::string& help) {
    leaf->add_option(name, into, help)->required()->check(whole_number(0));
  };
  add_number("--save-experiment-best", o->experiment_best, "how many of all its checkpoints are kept, the best first");
  add_number("--save-trial-best", o->trial_best, "how many of each trial are kept, the best first");
  add_number("--save-trial-latest", o->trial_latest, "how many of each trial are kept, the latest first");
  leaf->add_flag("-y,--yes", o->yes, "set it without showing what it deletes and without asking");
  program.runs(leaf, o, set_policy);
}

}  // namespace det::cli
