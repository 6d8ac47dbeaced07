// Tokens that people make for scripts: one's own, and everybody's for admins.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authenticator.h"
#include "api/users/routes.h"
#include "api/users/user_fields.h"
#include "base/duration_text.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using model::Permission;

using store::AccessTokenSort;

constexpr std::size_t kLongestDescription = 1'000;
constexpr std::string_view kForEver = "-1";

constexpr std::pair<std::string_view, AccessTokenSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", AccessTokenSort::kId},          {"SORT_BY_USER_ID", AccessTokenSort::kUser},
    {"SORT_BY_EXPIRY", AccessTokenSort::kExpiry},           {"SORT_BY_CREATED_AT", AccessTokenSort::kCreationTime},
    {"SORT_BY_TOKEN_TYPE", AccessTokenSort::kId},           {"SORT_BY_REVOKED", AccessTokenSort::kRevoked},
    {"SORT_BY_DESCRIPTION", AccessTokenSort::kDescription},
};

wire::Json token_json(const store::AccessTokenRow& row) {
  return {{"id", row.id},
          {"userId", row.user.value},
          {"expiry", wire::time(row.expires_at)},
          {"createdAt", wire::time(row.created_at)},
          {"tokenType", "TOKEN_TYPE_ACCESS_TOKEN"},
          {"revoked", row.revoked},
          {"description", row.description}};
}

std::unexpected<Error> only_admins(const char* what) {
  return fail(ErrorCode::kPermissionDenied, std::string("only admin privileged users can ") + what);
}

Status check_description(const std::optional<std::string>& text) {
  if (!text || text->size() <= kLongestDescription) return {};
  return fail(ErrorCode::kInvalidArgument,
              "description: at most " + std::to_string(kLongestDescription) + " bytes, this one has " +
                  std::to_string(text->size()),
              "description");
}

// `text`: a Go duration, "-1" for the longest, nothing for the standard one.
Result<std::chrono::seconds> lifespan_of(const std::optional<std::string>& text, const model::TokenLifespans& spans) {
  if (!text) return spans.standard;
  if (*text == kForEver) return spans.max;
  const auto parsed = parse_duration_text(*text);
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, "failed to parse lifespan " + *text + ": " + parsed.error().message,
                "lifespan");
  }
  const auto span = std::chrono::floor<std::chrono::seconds>(*parsed);
  if (span.count() <= 0) {
    return fail(ErrorCode::kInvalidArgument,
                "lifespan must be a Go-formatted duration string with a positive value, of a second at least",
                "lifespan");
  }
  if (span > spans.max) {
    return fail(ErrorCode::kInvalidArgument,
                "token Lifespan must be less than max token lifespan, which is " + std::to_string(spans.max.count()) +
                    " days here",
                "lifespan");
  }
  return span;
}

// With those of others.
bool may_with_tokens(const Identity& caller, Permission needed) {
  return has_roles(caller) ? require(caller, needed).has_value() : caller.user.admin;
}

}  // namespace

Task<Result<http::Response>> list_access_tokens(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::AccessTokenFilter filter;
  filter.ids = query.integers("tokenIds");
  const std::string username = query.text("username").value_or("");
  filter.with_inactive = query.boolean("showInactive").value_or(false);
  const auto sorts = query.words("sortBy", kSorts);
  if (!sorts.empty()) filter.sort = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  DET_CO_TRY(query.status());
  const store::UserRow& caller = call.caller.user;
  const bool sees_others = may_with_tokens(call.caller, Permission::kViewOtherToken);
  if (!sees_others) {
    DET_CO_TRY(require(call.caller, Permission::kViewToken));
    filter.user = caller.id;
  }
  if (!username.empty()) {
    const auto user = co_await services.stores.users.find_by_name(username);
    DET_CO_TRY(user);
    const bool is_own = *user && (*user)->id == caller.id;
    if (!sees_others && !is_own) co_return only_admins("view other users");
    if (!*user) co_return user_not_found(username);
    filter.user = (*user)->id;
  }
  const store::Page page = filter.page;
  const auto tokens = co_await services.stores.access_tokens.list(std::move(filter));
  DET_CO_TRY(tokens);
  wire::Json list = wire::Json::array();
  for (const store::AccessTokenRow& row : tokens->items) list.push_back(token_json(row));
  co_return ok({{"tokenInfo", std::move(list)}, {"pagination", pagination(page, *tokens)}});
}

Task<Result<http::Response>> create_access_token(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("userId");
  const auto user = fields.integer("userId");
  const auto text = fields.string("lifespan");
  const auto description = fields.string("description");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_description(description));
  const auto lifespan = lifespan_of(text, services.settings.master.token_lifespans);
  DET_CO_TRY(lifespan);
  call.note.object = "users/" + std::to_string(*user);
  const bool is_own = call.caller.user.id.value == *user;
  if (!is_own && !may_with_tokens(call.caller, Permission::kCreateOtherToken)) {
    co_return only_admins("create token for other users");
  }
  if (is_own) DET_CO_TRY(require(call.caller, Permission::kCreateToken));
  const auto owner = co_await services.stores.users.find(model::UserId{*user});
  DET_CO_TRY(owner);
  if (!*owner) co_return user_not_found(std::to_string(*user));
  if (!(*owner)->active) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   "user '" + (*owner)->username + "' is not active: activate them first", "userId");
  }
  const auto made =
      co_await services.authenticator.make_access_token((*owner)->id, description.value_or(""), *lifespan);
  DET_CO_TRY(made);
  call.note.object = "tokens/" + std::to_string(made->id) + " of " + (*owner)->username;
  co_return ok({{"token", made->token}, {"tokenId", made->id}});
}

Task<Result<http::Response>> patch_access_token(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const auto named = fields.integer("tokenId");
  const auto description = fields.string("description");
  const bool revoke = fields.boolean("setRevoked").value_or(false);
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_description(description));
  if (named && *named != *id) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "tokenId: the path names " + std::to_string(*id) + ", the body " + std::to_string(*named),
                   "tokenId");
  }
  const auto row = co_await services.stores.access_tokens.find(*id);
  DET_CO_TRY(row);
  const bool is_own = *row && (*row)->user == call.caller.user.id;
  const bool may = is_own || may_with_tokens(call.caller, Permission::kAdministrateToken);
  // Which ids others have is nobody's business.
  if (!*row || !may) {
    co_return fail(ErrorCode::kNotFound, "Token with id: {" + std::to_string(*id) + "} not found");
  }
  if (is_own) DET_CO_TRY(require(call.caller, Permission::kUpdateToken));
  const auto changed = co_await services.stores.access_tokens.change(*id, description, revoke);
  DET_CO_TRY(changed);
  if (revoke) services.authenticator.forget_user(changed->user);
  co_return ok({{"tokenInfo", token_json(*changed)}});
}

}  // namespace det::api::routes
