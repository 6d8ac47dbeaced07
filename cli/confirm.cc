#include "cli/confirm.h"

namespace det::cli {

Result<bool> confirmed(World& world, const std::string& question) {
  while (true) {
    const auto answer = world.ask(question + " [y/n]: ", false);
    if (!answer && !world.in_is_terminal) {
      return fail(ErrorCode::kFailedPrecondition,
                  "it has to be confirmed, and standard input is no terminal; --yes confirms it without a question");
    }
    if (!answer) return fail(ErrorCode::kCanceled, "no answer was given; nothing was done");
    if (*answer == "n" || *answer == "no") return false;
    if (*answer == "y" || *answer == "yes") return true;
    world.out << "Please respond with 'y'/'yes' or 'n'/'no'" << std::endl;
  }
}

}  // namespace det::cli
