#include "cli/completion.h"

#include <algorithm>

#include "cli/program.h"

namespace det::cli {
namespace {

constexpr const char* kBash = R"(_det_complete() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _det_complete det
)";

constexpr const char* kZsh = R"(#compdef det
_det_complete() {
    local -a found
    found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _det_complete det
)";

constexpr const char* kFish = R"(function __det_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c det -a '(__det_complete)'
)";

bool is_hidden(const CLI::App* app) {
  return app->get_group().empty();
}

const CLI::App* child_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->check_name(name)) return sub;
  }
  return nullptr;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    for (const CLI::Option* option : level->get_options()) {
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
      for (const auto& name : option->get_snames()) names.push_back("-" + name);
    }
  }
  return names;
}

// The option that `word` names and that takes a value.
bool takes_value(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-') || word.find('=') != std::string::npos) return false;
  for (const CLI::App* level = &app; level != nullptr; level = level->get_parent()) {
    const CLI::Option* option = level->get_option_no_throw(word);
    if (option != nullptr) return option->get_type_size() > 0 && option->get_expected_max() > 0;
  }
  return false;
}

struct ScriptOptions {
  std::string shell;
};

Task<Result<int>> print_script(Invocation in, ScriptOptions options) {
  in.world.out << completion_script(options.shell);
  co_return kDone;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* at = &root;
  const std::string typed = words.empty() ? "" : words.back();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (takes_value(*at, words[i])) {
      if (i + 2 == words.size()) return {};  // the value itself is being typed
      ++i;
      continue;
    }
    if (const CLI::App* child = child_named(*at, words[i])) at = child;
  }
  std::vector<std::string> found;
  if (typed.starts_with('-')) {
    found = option_names(*at);
  } else {
    for (const CLI::App* sub : at->get_subcommands([](const CLI::App* s) { return !is_hidden(s); })) {
      found.push_back(sub->get_name());
    }
  }
  std::erase_if(found, [&typed](const std::string& name) { return !name.starts_with(typed); });
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return "";
}

void add_completion_commands(Program& program) {
  CLI::App* leaf = program.add_leaf(program.root(), "completion", {}, "print shell completion script");
  auto s = std::make_shared<ScriptOptions>();
  leaf->add_option("shell", s->shell, "bash, zsh or fish: eval \"$(det completion bash)\"")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  program.runs(leaf, s, print_script);
}

}  // namespace det::cli
