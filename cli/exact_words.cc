#include "cli/exact_words.h"

#include <utility>

namespace det::cli {
namespace {

constexpr char kMark = '\x01';

}  // namespace

void mark_words(std::vector<std::string>& arguments) {
  for (std::string& word : arguments) {
    if (word.starts_with('[') || word.starts_with(kMark)) word.insert(word.begin(), kMark);
  }
}

std::string without_marks(std::string text) {
  std::erase(text, kMark);
  return text;
}

void unmark_options(CLI::App& app) {
  const auto unmark = [](std::string& word) {
    if (word.starts_with(kMark)) word.erase(word.begin());
    return std::string();
  };
  for (CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    option->transform(CLI::Validator(unmark, ""));
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) unmark_options(*command);
}

}  // namespace det::cli
