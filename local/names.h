#pragma once

// What Kubernetes lets things be called. Each function gives what is wrong with a text, in Kubernetes' own words
// (apimachinery/pkg/util/validation, pkg/apis/core/validation), or nothing. Names become file names and parts of
// addresses here: both the embedded API and the node agent ask. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace det::local {

using Faults = std::vector<std::string>;

[[nodiscard]] Faults dns_label_faults(std::string_view text);      // containers, volumes, namespaces
[[nodiscard]] Faults dns_subdomain_faults(std::string_view text);  // most objects
[[nodiscard]] Faults service_name_faults(std::string_view text);   // DNS-1035
[[nodiscard]] Faults qualified_name_faults(std::string_view text);
[[nodiscard]] Faults label_value_faults(std::string_view text);
[[nodiscard]] Faults port_name_faults(std::string_view text);
[[nodiscard]] Faults data_key_faults(std::string_view text);  // of ConfigMaps and Secrets
[[nodiscard]] Faults env_name_faults(std::string_view text);
// A path below a volume (subPath): relative, without "..".
[[nodiscard]] Faults inner_path_faults(std::string_view path);
// A path of an item, which may not take the names that writers of volumes keep for themselves either.
[[nodiscard]] Faults item_path_faults(std::string_view path);
// No ".." anywhere (hostPath).
[[nodiscard]] Faults backstep_faults(std::string_view path);

// A uid as API servers make them. The agent names folders after it.
[[nodiscard]] bool is_plain_uid(std::string_view text);

}  // namespace det::local
