#pragma once

// XML as storages answer it: small, flat, from hosts that may be hostile. Pure.

#include <optional>
#include <string>

#include <boost/property_tree/ptree.hpp>

namespace det::storage {

// Nothing for what is no XML, or is nested deeper than any storage's answer.
[[nodiscard]] std::optional<boost::property_tree::ptree> parse_storage_xml(const std::string& xml);
// "AccessDenied: no such key is known", or nothing where the answer says none.
[[nodiscard]] std::string storage_error_text(const std::string& xml);
// The member of Error; empty: there is none.
[[nodiscard]] std::string storage_error_member(const std::string& xml, const char* name);

}  // namespace det::storage
