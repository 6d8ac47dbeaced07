// det experiment create, and the object it would make (--dry-run -o yaml).

#include <algorithm>
#include <cctype>
#include <iostream>
#include <sstream>

#include "base/encoding.h"
#include "base/tgz.h"
#include "base/yaml.h"
#include "cli/config_errors.h"
#include "cli/config_overrides.h"
#include "cli/context_reader.h"
#include "cli/first_trial.h"
#include "cli/input_file.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/upload.h"
#include "cli/wrong_arguments.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

constexpr std::size_t kMaxInlineArchive = std::size_t{150} << 10U;

struct CreateOptions {
  std::string config_file;
  std::string folder;
  std::vector<std::string> includes;
  std::vector<std::string> overrides;
  std::string template_name;
  std::optional<std::int64_t> project;
  bool follow = false;
  bool paused = false;
  bool dry_run = false;
  std::string output;
};

Result<std::string> read_text(const std::string& file) {
  if (file == "-") {
    std::ostringstream text;
    text << std::cin.rdbuf();
    return text.str();
  }
  return read_input_file("config_file", file,
                         "it is a directory; the configuration comes first, the model directory second");
}

Result<Json> read_config(const std::string& text, const CreateOptions& options) {
  auto config = parse_yaml(text);
  if (!config) return std::unexpected(with_context(config.error(), options.config_file));
  if (!config->is_object() || config->empty()) {
    return wrong_arguments("Error: invalid experiment config file " + options.config_file +
                           ": it must hold keys and values, such as 'entrypoint: ...'");
  }
  return with_overrides(std::move(*config), options.overrides);
}

Result<Context> read_files(World& world, const CreateOptions& options) {
  // The object goes to stdout; what people read must not stand in it.
  return read_files_aloud(world, options.folder, options.includes, options.dry_run);
}

std::string object_name(const Json& config) {
  std::string name = text_field(config, "name");
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '-';
  });
  name = name.substr(0, 50);
  name.erase(0, name.find_first_not_of('-'));
  name.erase(name.find_last_not_of('-') + 1);
  return name.empty() ? "experiment" : name;
}

Result<std::string> archive_of(const Context& context) {
  std::vector<TarEntry> entries;
  for (const ContextFile& file : context.files) {
    entries.push_back({.path = file.path,
                       .type = file.is_folder ? TarEntry::Type::kDirectory : TarEntry::Type::kFile,
                       .mode = file.mode & 0777U,
                       .mtime = file.mtime,
                       .content = file.content});
  }
  auto packed = pack_tgz(entries);
  if (!packed) return packed;
  if (packed->size() > kMaxInlineArchive) {
    return fail(ErrorCode::kInvalidArgument,
                "the packed files are " + size_text(static_cast<double>(packed->size())) +
                    ", and an Experiment object can hold " + size_text(kMaxInlineArchive) +
                    "; leave files out with .detignore, or put them into the image, a ConfigMap or Git (spec.context)");
  }
  return base64_encode(*packed);
}

// The Experiment object that kubectl apply would take.
Result<Json> object_of(const Json& config, const Context& context, const CreateOptions& options) {
  Json spec = {{"config", config}};
  if (options.paused) spec["suspend"] = true;
  if (!options.template_name.empty()) spec["template"] = options.template_name;
  if (!context.files.empty()) {
    auto archive = archive_of(context);
    DET_TRY(archive);
    spec["context"] = {{"archive", std::move(*archive)}};
  }
  return Json{{"apiVersion", "det-operator.dev/v1alpha1"},
              {"kind", "Experiment"},
              {"metadata", {{"name", object_name(config)}}},
              {"spec", std::move(spec)}};
}

Task<Result<int>> create(Invocation in, CreateOptions options) {
  World& world = in.world;
  auto text = read_text(options.config_file);
  DET_CO_TRY(text);
  const auto config = read_config(*text, options);
  DET_CO_TRY(config);
  const bool is_local = options.dry_run && !options.output.empty();
  if (is_local && options.project) {
    co_return wrong_arguments(
        "--project_id is a number that the master knows, and -o asks no master: name the project in the "
        "configuration, with 'workspace' and 'project'");
  }
  std::optional<Session> session;
  if (!is_local) {
    // Before the files are read: who cannot log in need not wait for them.
    auto opened = co_await open_session(in);
    DET_CO_TRY(opened);
    session.emplace(std::move(*opened));
  }
  const auto context = read_files(world, options);
  DET_CO_TRY(context);
  if (is_local) {
    const auto object = object_of(*config, *context, options);
    DET_CO_TRY(object);
    world.out << (options.output == "json" ? object->dump(2) + "\n" : yaml_text(*object));
    co_return kDone;
  }
  // The file as it is, comments included, unless something was changed.
  const std::string sent = options.overrides.empty() ? *text : yaml_text(*config);
  const Json body = {{"activate", !options.paused},
                     {"config", sent},
                     {"modelDefinition", to_json(*context)},
                     {"parentId", nullptr},
                     {"projectId", options.project ? Json(*options.project) : Json()},
                     {"template", options.template_name.empty() ? Json() : Json(options.template_name)},
                     {"validateOnly", options.dry_run}};
  auto answer = co_await upload_aloud(world, session->client, "/api/v1/experiments", body);
  if (!answer) {
    answer.error().message = with_places(answer.error().message,
                                         {.file = options.config_file, .text = *text, .overrides = options.overrides});
  }
  DET_CO_TRY(answer);
  print_config_warnings(world, *answer);
  if (options.dry_run) {
    world.out << "The experiment configuration is valid; nothing was created" << std::endl;
    co_return kDone;
  }
  const std::int64_t id = integer_field(field(*answer, "experiment"), "id");
  world.out << "Created experiment " << id << std::endl;
  print_launch_warnings(world, *answer);
  if (options.paused || !options.follow) co_return kDone;
  co_return co_await follow_first_trial(world, session->client, id);
}

}  // namespace

void add_experiment_create_command(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "create", {}, "create experiment");
  auto o = std::make_shared<CreateOptions>();
  leaf->add_option("config_file", o->config_file, "experiment config file (.yaml), - for standard input")->required();
  leaf->add_option("model_def", o->folder, "directory containing model definition");
  add_repeated(leaf, "-i,--include", o->includes, "additional files to copy into the task container");
  leaf->add_option("--template", o->template_name, "name of template to apply to the experiment configuration");
  leaf->add_option("--project_id", o->project, "place this experiment inside this project");
  add_repeated(leaf, "--config", o->overrides,
               "change the configuration: key.path=value, lists as a,b or [..], objects as {..}");
  auto* follow = leaf->add_flag("-f,--follow-first-trial,--follow", o->follow,
                                "follow the logs of the first trial that is created");
  auto* paused = leaf->add_flag("--paused", o->paused, "do not activate the experiment");
  follow->excludes(paused);
  auto* dry_run = leaf->add_flag("--dry-run", o->dry_run,
                                 "create nothing: let the master check the configuration, or with -o print the object");
  dry_run->excludes(follow);
  leaf->add_option("-o,--output", o->output, "with --dry-run: print the Experiment object for kubectl (yaml or json)")
      ->check(CLI::IsMember({"yaml", "json"}))
      ->needs(dry_run);
  program.runs(leaf, o, create);
}

}  // namespace det::cli
