#pragma once

// A container's environment as Kubernetes defines it: envFrom, then env, values from objects and from the pod itself
// (downward API), $(VAR) expansion. Pure; any thread.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "local/agent/pod_spec_view.h"

namespace det::local {

using Environment = std::vector<std::pair<std::string, std::string>>;  // in order of definition, names unique

// What the pod is told about its node.
struct NodeFacts {
  std::string name;
  std::string address = "127.0.0.1";  // node and pods share the host's network
  std::int64_t milli_cpu = 1000;      // what resourceFieldRef reads where the container has no limit
  std::int64_t memory = 0;
};

// Contents of ConfigMaps and Secrets by name; an object that does not exist has no entry.
using ObjectData = std::map<std::string, std::map<std::string, std::string>>;
struct EnvObjects {
  ObjectData config_maps;
  ObjectData secrets;
};

// Names of the objects that `container` takes its environment from.
struct EnvObjectNames {
  std::vector<std::string> config_maps;
  std::vector<std::string> secrets;
};
[[nodiscard]] EnvObjectNames env_object_names(const ContainerView& container);

// `base` is what the image and the sandbox set (PATH, HOME, HOSTNAME); the container may override it. kNotFound names
// the object or key that is missing and not optional; kUnimplemented a field that the downward API does not offer here.
[[nodiscard]] Result<Environment> resolve_env(const PodView& pod, const ContainerView& container, const NodeFacts& node,
                                              const EnvObjects& objects, Environment base);

// Bytes of one word, and of all words of an environment or a command: Linux starts no program with more.
inline constexpr std::size_t kLongestWord = 131'071;
inline constexpr std::size_t kLongestWords = std::size_t{2} << 20;
// Counts words as they come; kInvalidArgument, with `what` it is, when they are too long.
class WordBudget {
 public:
  Status add(const std::string& what, std::size_t size);

 private:
  std::size_t total_ = 0;
};

// "$(NAME)" becomes the variable's value, "$$(NAME)" becomes "$(NAME)", an unknown name stays as it is written.
// It ends early when values have added more than kLongestWord: what is too long anyway need not fill the memory.
[[nodiscard]] std::string expand_variables(std::string_view text, const Environment& env);

// The value of a downward API field; nullopt when this agent does not know it.
[[nodiscard]] std::optional<std::string> pod_field(const PodView& pod, const NodeFacts& node, std::string_view path);

// Sets or replaces.
void set_variable(Environment& env, const std::string& name, std::string value);

}  // namespace det::local
