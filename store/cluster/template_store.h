#pragma once

// Configuration templates. Nothing here says whether a configuration is right: one template may be for experiments,
// another for notebooks. Belongs to the io thread; Pool outlives it.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/ids.h"
#include "pg/pool.h"
#include "store/page.h"

namespace det::store {

struct TemplateRow {
  std::string name;
  nlohmann::json config;  // an object
  model::WorkspaceId workspace;
  std::optional<model::UserId> owner;  // who made it; nothing for those of versions that did not keep it
};

struct TemplateFilter {
  std::string name_part;                                        // in any case; empty: all
  std::vector<model::WorkspaceId> workspaces;                   // empty: all
  std::optional<std::vector<model::WorkspaceId>> visible = {};  // of those only these; nothing: all
  Order order = Order::kAscending;                              // by name
  Page page;
};

class TemplateStore {
 public:
  explicit TemplateStore(pg::Pool& pool) : pool_(pool) {}

  Task<Result<std::optional<TemplateRow>>> find(std::string name);
  // kInvalidArgument when the page begins after the end.
  Task<Result<Paged<TemplateRow>>> list(TemplateFilter filter);
  // kAlreadyExists when the name is taken, kNotFound when there is no such workspace.
  Task<Status> create(TemplateRow row);
  // kNotFound when there is no such template, kPermissionDenied when it is not of `only_of`. (Whose it is was looked at
  // before; but since then the name may have become somebody else's.)
  Task<Result<TemplateRow>> set_config(std::string name, nlohmann::json config,
                                       std::optional<model::UserId> only_of = {});
  // Makes it or replaces its configuration and moves it, under the same condition; it stays its owner's. No config, or
  // workspace 0: as it is, and kNotFound when there is none. kNotFound also when there is no such workspace.
  Task<Result<TemplateRow>> put(TemplateRow row, std::optional<model::UserId> only_of = {});
  // kNotFound when there is no such template, kAlreadyExists when the new name is taken.
  Task<Result<TemplateRow>> rename(std::string name, std::string new_name);
  Task<Status> remove(std::string name);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
