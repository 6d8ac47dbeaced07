// The commands and options of Determined's command line against ours. determined_commands.py writes the list of theirs.

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

struct TheirCommand {
  std::vector<std::vector<std::string>> path;     // the names of each level, the first one without aliases
  std::vector<std::vector<std::string>> options;  // the same of each option
  bool is_default = false;                        // of its group

  [[nodiscard]] std::string name() const {
    std::string text;
    for (const auto& names : path) text += (text.empty() ? "" : " ") + names.front();
    return text;
  }
};

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<TheirCommand> their_commands() {
  std::vector<TheirCommand> commands;
  std::ifstream file("tests/cli/determined_commands.txt");
  for (std::string line; std::getline(file, line);) {
    const auto columns = parts_of(line, '\t');
    TheirCommand command{.path = {}, .options = {}, .is_default = columns.size() > 2};
    for (const auto& names : parts_of(columns.at(0), ' ')) command.path.push_back(parts_of(names, '|'));
    if (columns.size() > 1) {
      for (const auto& names : parts_of(columns[1], ' ')) command.options.push_back(parts_of(names, '/'));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

const CLI::App* child_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (child->check_name(name)) return child;
  }
  return nullptr;
}

// Ours of that name and of each alias; null where one of them is missing, or only says why it is.
const CLI::App* ours(const CLI::App& root, const TheirCommand& command) {
  const CLI::App* at = &root;
  for (const auto& names : command.path) {
    const CLI::App* const child = child_named(*at, names.front());
    for (const auto& name : names) {
      if (child_named(*at, name) != child) return nullptr;
    }
    if (child == nullptr || child->get_prefix_command()) return nullptr;
    at = child;
  }
  return at;
}

// What we do not have, and a word of what is said to who asks for it. Of whole groups the name of the group stands
// here.
const std::map<std::string, std::string>& commands_not_here() {
  static const std::map<std::string, std::string> kNot = {// This program makes no machines and no Kubernetes clusters.
                                                          {"deploy aws", "Helm chart"},
                                                          {"deploy gcp", "Helm chart"},
                                                          {"deploy gke-experimental", "Helm chart"},
                                                          // Containers of Docker: ours is one process.
                                                          {"deploy local agent-down", "cluster-up"},
                                                          {"deploy local agent-up", "cluster-up"},
                                                          {"deploy local master-down", "cluster-up"},
                                                          {"deploy local master-up", "cluster-up"},
                                                          // Functions of a Python module.
                                                          {"dev bindings", "dev curl"}};
  return kNot;
}

// The same of options, which are wrong arguments with us.
const std::map<std::string, std::string>& options_not_here() {
  static const std::map<std::string, std::string> kNot = {
      {"deploy local cluster-down --cluster-name", "--data-dir"},
      {"deploy local cluster-up --agents", "--slots"},
      {"deploy local cluster-up --auto-work-dir", "leave it out"},
      {"deploy local cluster-up --cluster-name", "--data-dir"},
      {"deploy local cluster-up --db-password", "leave it out"},
      {"deploy local cluster-up --delete-db", "cluster-down --delete-db"},
      {"deploy local cluster-up --det-version", "leave it out"},
      {"deploy local cluster-up --enterprise-edition", "leave it out"},
      {"deploy local cluster-up --initial-user-password", "the file 'passwords'"},
      {"deploy local cluster-up --no-autorestart", "leave it out"},
      {"deploy local cluster-up --storage-host-path", "--master-config-path"},
      {"deploy local logs --cluster-name", "--data-dir"},
      {"experiment create --local", "--dry-run"},
      {"experiment create --publish", "det tunnel"},
      {"experiment create --test-mode", "--dry-run"},
      {"experiment create -p", "det tunnel"},
      {"experiment create -t", "--dry-run"}};
  return kNot;
}

// The entry of `list` that `name` is, or begins with.
std::string entry_of(const std::map<std::string, std::string>& list, const std::string& name) {
  for (const auto& [entry, why] : list) {
    if (name == entry || name.starts_with(entry + " ")) return entry;
  }
  return "";
}

struct Commands : CliTest {};

TEST_F(Commands, AreAllThatDeterminedsHaveButForTheOnesThatAreNamedHere) {
  Program program;
  std::set<std::string> used;
  const auto theirs = their_commands();
  ASSERT_GT(theirs.size(), 200U);
  for (const TheirCommand& command : theirs) {
    const std::string entry = entry_of(commands_not_here(), command.name());
    if (!entry.empty()) used.insert(entry);
    EXPECT_EQ(ours(program.root(), command) == nullptr, !entry.empty()) << "det " << command.name();
  }
  for (const auto& [entry, why] : commands_not_here()) EXPECT_TRUE(used.contains(entry)) << entry;
}

TEST_F(Commands, HaveTheirOptionsButForTheOnesThatAreNamedHere) {
  Program program;
  std::set<std::string> used;
  for (const TheirCommand& command : their_commands()) {
    const CLI::App* const app = ours(program.root(), command);
    if (app == nullptr) continue;
    for (const auto& names : command.options) {
      for (const auto& name : names) {
        const std::string full = command.name() + " " + name;
        const bool is_excused = options_not_here().contains(full);
        if (is_excused) used.insert(full);
        EXPECT_EQ(app->get_option_no_throw(name) == nullptr, is_excused) << "det " << full;
      }
    }
  }
  for (const auto& [entry, why] : options_not_here()) EXPECT_TRUE(used.contains(entry)) << entry;
}

TEST_F(Commands, AreDoneByTheirGroupsWhereTheyAreTheDefault) {
  variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  int defaults = 0;
  for (const TheirCommand& command : their_commands()) {
    if (!command.is_default || !entry_of(commands_not_here(), command.name()).empty()) continue;
    // Theirs complains of an argument that nobody can give.
    if (command.name() == "config-policies describe") continue;
    ++defaults;
    std::vector<std::string> group = parts_of(command.name(), ' ');
    group.pop_back();
    http.answer(403, {{"message", "no"}});
    const Outcome done = det(group);
    EXPECT_EQ(done.code, 1) << "det " << command.name() << ": " << done.out;
    EXPECT_THAT(done.err, testing::StartsWith("Failed to ")) << "det " << command.name();
  }
  EXPECT_EQ(http.requests().size(), static_cast<std::size_t>(defaults));
  EXPECT_GT(defaults, 16);
}

TEST_F(Commands, ThatAreNotHereSayWhy) {
  for (const auto& [name, words] : commands_not_here()) {
    std::vector<std::string> arguments = parts_of(name, ' ');
    arguments.insert(arguments.end(), {"up", "--cluster-id", "x"});
    const Outcome done = det(arguments);
    EXPECT_EQ(done.code, 1) << name;
    EXPECT_THAT(done.err, testing::StartsWith("Failed to ")) << name;
    EXPECT_THAT(done.err, testing::HasSubstr(words)) << name;
  }
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(Commands, SayWhatToUseInsteadOfOptionsThatAreNotHere) {
  for (const auto& [name, words] : options_not_here()) {
    const Outcome done = det(parts_of(name, ' '));
    EXPECT_EQ(done.code, 2) << name;
    EXPECT_THAT(done.err, testing::HasSubstr(": error: " + parts_of(name, ' ').back() + ": ")) << name;
    EXPECT_THAT(done.err, testing::HasSubstr(words)) << name;
  }
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(Commands, OfEveryGroupIncludeItsHelp) {
  EXPECT_EQ(det({"help"}).out, det({"--help"}).out);
  const std::string help = det({"experiment", "set", "help"}).out;
  EXPECT_EQ(help, det({"e", "set", "--help"}).out);
  EXPECT_THAT(help, testing::HasSubstr("gc-policy"));
  EXPECT_EQ(det({"e", "help"}).out, det({"e", "--help"}).out) << "not what the group does by itself";
}

}  // namespace
}  // namespace det::cli
