#pragma once

// Addresses of Determined's web UI, which its command line and messages of its webhooks print, and where ours shows the
// same. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace det::api {

// The page's own address, within /ui/, for what follows /det/ (as `segments`, decoded). What it has no page for, or
// what is no id where one belongs, gives the first page. Names are encoded: the answer is a path within /ui/ whatever
// stands in the segments.
[[nodiscard]] std::string page_of_deep_link(const std::vector<std::string>& segments);

// From the folder of `target` (a request's, as it was sent) back to where the server's own paths begin: "", "../", ...
// A relative address leads there below whatever path a proxy puts the server, and to no other host.
[[nodiscard]] std::string way_back(std::string_view target);

}  // namespace det::api
