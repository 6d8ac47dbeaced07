#include "cli/confirm.h"

#include "base/lower_case.h"

namespace det::cli {
namespace {

// As it is meant: " Yes" and what pipes of Windows end lines with ("y\r") count.
std::string meaning(const std::string& answer) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const auto first = answer.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return lower_case(answer.substr(first, answer.find_last_not_of(kBlank) - first + 1));
}

}  // namespace

Result<bool> confirmed(World& world, const std::string& question) {
  while (true) {
    auto answer = world.ask(question + " [y/n]: ", false);
    if (!answer && !world.in_is_terminal) {
      return fail(ErrorCode::kFailedPrecondition,
                  "it has to be confirmed, and standard input is no terminal; --yes confirms it without a question");
    }
    if (!answer) return fail(ErrorCode::kCanceled, "no answer was given; nothing was done");
    *answer = meaning(*answer);
    if (*answer == "n" || *answer == "no") return false;
    if (*answer == "y" || *answer == "yes") return true;
    world.out << "Please respond with 'y'/'yes' or 'n'/'no'" << std::endl;
  }
}

}  // namespace det::cli
