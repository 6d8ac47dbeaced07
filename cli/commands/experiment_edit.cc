// det experiment: what changes one.

#include "cli/confirm.h"
#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct VerbOptions {
  std::int64_t id = 0;
  std::string verb;  // as the path spells it
  std::string said;  // "Paused"
};

struct DeleteOptions {
  std::int64_t id = 0;
  bool yes = false;
};

struct IdOptions {
  std::int64_t id = 0;
};

struct SetOptions {
  std::int64_t id = 0;
  std::string key;  // name or description
  std::string value;
};

struct ResourceOptions {
  std::int64_t id = 0;
  std::string key;    // as the API spells it
  std::string shown;  // as people do
  std::string value;
};

struct LabelOptions {
  std::int64_t id = 0;
  std::string label;
  bool add = false;
};

std::string path_of(std::int64_t id) {
  return "/api/v1/experiments/" + std::to_string(id);
}

Task<Result<int>> run_verb(Invocation in, VerbOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done = co_await session->client.send("POST", path_of(options.id) + "/" + options.verb);
  DET_CO_TRY(done);
  in.world.out << options.said << " experiment " << options.id << "\n";
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, DeleteOptions options) {
  if (!options.yes) {
    const auto is_meant = confirmed(
        in.world,
        "This deletes the experiment's trials, metrics, logs, TensorBoard files and checkpoints for good, but\n"
        "for checkpoints that something else still uses. What the model registry holds of it has to be deleted\n"
        "before. To only take it out of lists: 'det experiment archive'. Delete it?");
    DET_CO_TRY(is_meant);
    if (!*is_meant) {
      in.world.out << "Aborting experiment deletion.\n";
      co_return kDone;
    }
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done = co_await session->client.send("DELETE", path_of(options.id));
  DET_CO_TRY(done);
  in.world.out << "Deletion of experiment " << options.id << " is in progress\n";
  co_return kDone;
}

Task<Result<int>> remove_tensorboard_files(Invocation in, IdOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done = co_await session->client.send("DELETE", path_of(options.id) + "/tensorboard-files");
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> set_text(Invocation in, SetOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"id", options.id}, {options.key, options.value}};
  const auto done = co_await session->client.send("PATCH", path_of(options.id), body);
  DET_CO_TRY(done);
  in.world.out << "Set " << options.key << " of experiment " << options.id << " to '" << options.value << "'\n";
  co_return kDone;
}

Task<Result<int>> set_resource(Invocation in, ResourceOptions options) {
  const bool is_none = options.key == "maxSlots" && (options.value == "none" || options.value == "null");
  const Json value = is_none ? Json() : Json::parse(options.value, nullptr, false);
  const bool is_right = is_none || (options.key == "weight" ? value.is_number() : value.is_number_integer());
  if (!is_right) {
    co_return fail(ErrorCode::kInvalidArgument,
                   options.shown + ": '" + options.value + "' is no " +
                       (options.key == "weight"     ? "number"
                        : options.key == "maxSlots" ? "whole number or none"
                                                    : "whole number"),
                   options.shown);
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"id", options.id}, {"resources", {{options.key, value}}}};
  const auto done = co_await session->client.send("PATCH", path_of(options.id), body);
  DET_CO_TRY(done);
  in.world.out << "Set `" << options.shown << "` of experiment " << options.id << " to "
               << (is_none ? "None" : options.value) << "\n";
  co_return kDone;
}

Task<Result<int>> change_label(Invocation in, LabelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  // One label alone, not the list of them: somebody else may be changing another.
  const auto done = co_await session->client.send(options.add ? "PUT" : "DELETE",
                                                  path_of(options.id) + "/labels/" + path_segment(options.label));
  DET_CO_TRY(done);
  in.world.out << (options.add ? "Added label '" : "Removed label '") << options.label
               << (options.add ? "' to" : "' from") << " experiment " << options.id << "\n";
  co_return kDone;
}

void add_verb(Program& program, CLI::App* group, const std::string& name, const std::vector<std::string>& aliases,
              const std::string& help, const std::string& said) {
  CLI::App* leaf = program.add_leaf(*group, name, aliases, help);
  auto o = std::make_shared<VerbOptions>();
  o->verb = name;
  o->said = said;
  add_id(leaf, "experiment_id", o->id, "experiment ID to " + name);
  program.runs(leaf, o, run_verb);
}

void add_set(Program& program, CLI::App* group, const std::string& key) {
  CLI::App* leaf = program.add_leaf(*group, key, {}, "set experiment " + key);
  auto o = std::make_shared<SetOptions>();
  o->key = key;
  add_id(leaf, "experiment_id", o->id, "experiment ID to modify");
  leaf->add_option(key, o->value, "experiment " + key)->required();
  program.runs(leaf, o, set_text);
}

void add_resource(Program& program, CLI::App* group, const std::string& name, const std::string& key,
                  const std::string& shown) {
  CLI::App* leaf = program.add_leaf(*group, name, {}, "set `" + shown + "` of experiment");
  auto o = std::make_shared<ResourceOptions>();
  o->key = key;
  o->shown = shown;
  add_id(leaf, "experiment_id", o->id, "experiment ID to modify");
  leaf->add_option(shown, o->value, shown)->required();
  program.runs(leaf, o, set_resource);
}

}  // namespace

void add_experiment_edit_commands(Program& program, CLI::App* group) {
  add_verb(program, group, "activate", {"unpause"}, "activate experiment, i.e., unpause a paused experiment",
           "Activated");
  add_verb(program, group, "cancel", {}, "cancel experiment", "Canceled");
  add_verb(program, group, "pause", {}, "pause experiment", "Paused");
  add_verb(program, group, "kill", {}, "kill experiment", "Killed");
  add_verb(program, group, "archive", {}, "archive experiment", "Archived");
  add_verb(program, group, "unarchive", {}, "unarchive experiment", "Unarchived");

  CLI::App* leaf = program.add_leaf(*group, "delete", {}, "delete experiment");
  auto d = std::make_shared<DeleteOptions>();
  add_id(leaf, "experiment_id", d->id, "experiment ID to delete");
  leaf->add_flag("-y,--yes", d->yes, "automatically answer yes to prompts");
  program.runs(leaf, d, remove);

  leaf = program.add_leaf(*group, "delete-tb-files", {}, "delete the experiment's TensorBoard files");
  auto t = std::make_shared<IdOptions>();
  add_id(leaf, "experiment_id", t->id, "experiment ID");
  program.runs(leaf, t, remove_tensorboard_files);

  add_experiment_move_command(program, group);

  CLI::App* label = program.add_group(*group, "label", {}, "manage experiment labels");
  for (const bool add : {true, false}) {
    leaf = program.add_leaf(*label, add ? "add" : "remove", {}, add ? "add label" : "remove label");
    auto o = std::make_shared<LabelOptions>();
    o->add = add;
    add_id(leaf, "experiment_id", o->id, "experiment ID");
    leaf->add_option("label", o->label, "label")->required();
    program.runs(leaf, o, change_label);
  }

  CLI::App* set = program.add_group(*group, "set", {}, "set experiment attributes");
  add_set(program, set, "description");
  add_set(program, set, "name");
  add_gc_policy(program, set);
  add_resource(program, set, "max-slots", "maxSlots", "max_slots");
  add_resource(program, set, "weight", "weight", "weight");
  add_resource(program, set, "priority", "priority", "priority");
  add_log_retention(program, set, "experiment");
}

}  // namespace det::cli
