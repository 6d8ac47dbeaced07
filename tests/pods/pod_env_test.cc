#include "pods/pod_env.h"

#include <algorithm>

#include "tests/pods/pod_values.h"

namespace det::pods {
namespace {

TEST(PodEnv, TellsOfAllUsersVariablesThatHaveNoEffect) {
  const auto with = settings(model::SlotType::kCuda, 8);
  json theirs = {"MINE=theirs"};
  const auto plain = gang(accepted(json::object()), 1, 1);
  for (const json& ours : main_container(build_pod(with, plain, 0))["env"]) {
    theirs.push_back(ours["name"].get<std::string>() + "=theirs");
  }
  for (const auto& [name, value] : build_secret(with, plain)["stringData"].items()) theirs.push_back(name + "=theirs");
  const json config = {{"environment", {{"environment_variables", {{"cuda", theirs}}}}}};
  const auto request = gang(accepted(config), 1, 1);
  const json pod = build_pod(with, request, 0);
  const json secret = build_secret(with, request)["stringData"];
  const auto sentences = overruled_variables(config, true);
  for (const json& variable_text : theirs) {
    const auto text = variable_text.get<std::string>();
    const std::string name = text.substr(0, text.find('='));
    const bool counts = variable(pod, name.c_str()) == "(unset)" && secret[name] == "theirs";
    const auto names_it = [&](const std::string& sentence) {
      return sentence.find(": " + name + " has no effect") != std::string::npos;
    };
    EXPECT_NE(counts, std::ranges::any_of(sentences, names_it)) << name;
  }
  EXPECT_EQ(overruled_variables(config, false).size() + 2, sentences.size()) << "tasks have no hyperparameters";
}

}  // namespace
}  // namespace det::pods
