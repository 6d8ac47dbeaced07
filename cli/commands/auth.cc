// det auth: single sign-on, with masters that have it; and det oauth: programs that may sign people on.

#include "base/lower_case.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/token_store.h"

namespace det::cli {
namespace {

struct NoOptions {};

struct SignOnOptions {
  std::string provider;
  bool is_headless = false;
};

struct ClientOptions {
  std::string name;
  std::string domain;
  std::string id;
};

// Where the provider sends the browser with the token. The port is the Python command line's, which listens there.
constexpr const char* kExample = "Example: 'http://localhost:49176/?token=v2.public.[long_str]'";

// Empty: it has none.
Task<Result<Json>> providers_of(MasterClient client) {
  const auto info = co_await client.get("/info");
  DET_CO_TRY(info);
  if (!info->contains("sso_providers")) {
    co_return fail(ErrorCode::kUnimplemented,
                   "Determined Enterprise Edition is required for this functionality: No SSO providers data");
  }
  const Json providers = field(*info, "sso_providers");
  co_return providers.is_array() ? providers : Json::array();
}

Task<Result<int>> list_providers(Invocation in, NoOptions) {
  auto client = open_client(in);
  DET_CO_TRY(client);
  const auto providers = co_await providers_of(*client);
  DET_CO_TRY(providers);
  std::string names;
  for (const Json& provider : *providers) names += (names.empty() ? "" : ", ") + text_field(provider, "name");
  in.world.out << (names.empty() ? "No SSO providers found." : "Available providers: " + names + ".") << "\n";
  co_return kDone;
}

// Nothing, and the reason on `out`, where it is not clear which one.
std::optional<Json> choose(const Json& providers, const std::string& wanted, std::ostream& out) {
  if (wanted.empty()) {
    if (providers.size() == 1) return providers.front();
    out << "Provider must be specified when multiple are available.\n";
    return std::nullopt;
  }
  std::vector<Json> matching;
  std::string names;
  for (const Json& provider : providers) {
    const std::string name = lower_case(text_field(provider, "name"));
    names += (names.empty() ? "" : ", ") + name;
    if (name == lower_case(wanted)) matching.push_back(provider);
  }
  if (matching.size() == 1) return matching.front();
  if (matching.empty()) {
    out << "Provider " << wanted << " unsupported. (Providers found: " << names << ")\n";
  } else {
    out << "Multiple SSO providers found with name " << wanted << ".\n";
  }
  return std::nullopt;
}

// The query's "token" of the address that the browser was sent to; empty: it has none. Tokens have no characters that
// a query escapes.
std::string token_in(const std::string& address) {
  constexpr std::string_view kName = "token=";
  for (auto at = address.find_first_of("?&"); at != std::string::npos; at = address.find_first_of("?&", at + 1)) {
    const std::string_view rest = std::string_view(address).substr(at + 1);
    if (rest.starts_with(kName))
      return std::string(rest.substr(kName.size(), rest.find_first_of("&# ") - kName.size()));
  }
  return "";
}

Task<Result<int>> sign_on(Invocation in, SignOnOptions options) {
  auto client = open_client(in);
  DET_CO_TRY(client);
  const auto providers = co_await providers_of(*client);
  DET_CO_TRY(providers);
  World& world = in.world;
  if (providers->empty()) {
    world.out << "No SSO providers found.\n";
    co_return kFailed;
  }
  const auto provider = choose(*providers, options.provider, world.out);
  if (!provider) co_return kFailed;
  // This program never listens for the browser: whoever has one anywhere brings back the address.
  world.out << "Please open this URL in your browser: '" << text_field(*provider, "sso_url") << "?relayState=cli'\n"
            << "After authenticating, copy/paste the localhost URL from your browser into the prompt.\n"
            << kExample << std::endl;
  std::string token;
  while (token.empty()) {
    const auto address = world.ask("\n(hidden) localhost URL? ", true);
    if (!address) co_return fail(ErrorCode::kInvalidArgument, "no URL was given");
    token = token_in(*address);
    if (token.empty()) world.out << "Could not extract token from localhost URL. " << kExample << std::endl;
  }
  client->use_token(token);
  const auto me = co_await client->get("/api/v1/me");
  DET_CO_TRY(me);
  const std::string username = text_field(field(*me, "user"), "username");
  TokenStore store(world, client->master().url);
  DET_CO_TRY(store.set_token(username, token));
  DET_CO_TRY(store.set_active(username));
  world.out << "Authenticated as " << username << ".\n";
  co_return kDone;
}

// A master without them knows none of their routes.
template <typename T>
Result<T> or_reason(Result<T> answer) {
  if (answer || answer.error().code != ErrorCode::kNotFound) return answer;
  return fail(
      ErrorCode::kUnimplemented,
      "this master signs nobody on for other programs (API not found: oauth2/clients); give a program an access "
      "token: det token create");
}

Task<Result<int>> list_clients(Invocation in, ClientOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto clients = or_reason(co_await session->client.get("/oauth2/clients"));
  DET_CO_TRY(clients);
  Table table{.headers = {"Name", "Client ID", "Domain"}, .rows = {}};
  for (const Json& client : *clients) {
    table.rows.push_back({field(client, "name"), field(client, "id"), field(client, "domain")});
  }
  print_table(in.world, table, false);
  co_return kDone;
}

Task<Result<int>> add_client(Invocation in, ClientOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"domain", options.domain}, {"name", options.name}};
  const auto made = or_reason(co_await session->client.send("POST", "/oauth2/clients", body));
  DET_CO_TRY(made);
  in.world.out << "Client ID:     " << text_field(*made, "id") << "\nClient secret: " << text_field(*made, "secret")
               << "\n";
  co_return kDone;
}

Task<Result<int>> remove_client(Invocation in, ClientOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(or_reason(co_await session->client.send("DELETE", "/oauth2/clients/" + path_segment(options.id))));
  co_return kDone;
}

}  // namespace

void add_auth_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "auth", {}, "manage auth");
  CLI::App* leaf = program.add_leaf(*group, "login", {}, "sign on with an auth provider");
  auto o = std::make_shared<SignOnOptions>();
  leaf->add_option("-p,--provider", o->provider, "auth provider to use; not needed where there is only one");
  leaf->add_flag("--headless", o->is_headless, "without a browser on this machine, as it always is");
  program.runs(leaf, o, sign_on);
  leaf = program.add_leaf(*group, "list-providers", {}, "lists the available auth providers");
  program.runs(leaf, std::make_shared<NoOptions>(), list_providers);
}

void add_oauth_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "oauth", {}, "manage OAuth");
  CLI::App* client = program.add_group(*group, "client", {}, "manage clients");
  CLI::App* leaf = program.add_leaf(*client, "list", {"ls"}, "list OAuth client applications");
  program.runs(leaf, std::make_shared<ClientOptions>(), list_clients);
  program.make_default<ClientOptions>(client, "list OAuth client applications", list_clients);

  leaf = program.add_leaf(*client, "add", {}, "add OAuth client application");
  auto a = std::make_shared<ClientOptions>();
  leaf->add_option("name", a->name, "descriptive name")->required();
  leaf->add_option("domain", a->domain, "redirect domain")->required();
  program.runs(leaf, a, add_client);

  leaf = program.add_leaf(*client, "remove", {}, "remove OAuth client application");
  auto r = std::make_shared<ClientOptions>();
  leaf->add_option("client_id", r->id, "OAuth client ID to remove")->required();
  program.runs(leaf, r, remove_client);
}

}  // namespace det::cli
