// Code of the precompiled headers that nearly every file of ours uses: compiled with them, once
// (DetPrecompiledCode.cmake). Nothing includes this by name, and what stands here changes nothing but the time of a
// build.

namespace nlohmann {
template class basic_json<>;
template json json::parse<const std::string&>(const std::string&, json::parser_callback_t, bool, bool);
template json json::parse<std::string&>(std::string&, json::parser_callback_t, bool, bool);
template json json::parse<std::string>(std::string&&, json::parser_callback_t, bool, bool);
template json json::parse<std::string_view&>(std::string_view&, json::parser_callback_t, bool, bool);
template json json::parse<const std::string_view&>(const std::string_view&, json::parser_callback_t, bool, bool);
}  // namespace nlohmann

template class std::map<std::string, nlohmann::json>;
template class std::map<std::string, std::string>;
template class std::vector<nlohmann::json>;
template class std::vector<std::string>;
template class std::vector<std::pair<std::string, std::string>>;
template class std::optional<std::string>;
template class std::optional<nlohmann::json>;
template class std::unordered_map<std::string, std::string>;

namespace det::precompiled {

// Members that are templates themselves: an inline function is compiled with all that it calls.
inline void use_strings(std::vector<std::string>& strings, std::map<std::string, std::string>& names) {
  strings.emplace_back("a");
  strings.emplace_back(strings.front());
  strings.emplace_back(std::string());
  strings = {"a", "b"};
  std::sort(strings.begin(), strings.end());
  std::ranges::sort(strings);
  (void)std::find(strings.begin(), strings.end(), strings.front());
  names.emplace("a", "b");
  names.emplace(strings.front(), strings.back());
  names["a"] = names.at(strings.front());
  names.insert_or_assign("a", "b");
  std::vector<std::pair<std::string, std::string>> pairs{{"a", "b"}};
  pairs.emplace_back("a", "b");
  pairs.emplace_back("a", strings.front());
  pairs.emplace_back(strings.front(), strings.front());
  std::function<std::string(const std::string&)> copy = [](const std::string& text) { return text; };
  strings.push_back(copy(strings.front()));
}

inline void use_json(nlohmann::json& value, std::vector<std::string>& strings) {
  value =
      nlohmann::json::object({{"a", 1}, {"b", "c"}, {"d", strings.front()}, {"e", true}, {"f", 1.5}, {"g", strings}});
  value["a"] = 1;
  value["a"] = std::int64_t{1};
  value["a"] = std::uint64_t{1};
  value["a"] = std::size_t{1};
  value["a"] = 1.5;
  value["a"] = true;
  value["a"] = "b";
  value["a"] = strings.front();
  value["a"] = std::string("b");
  value["a"] = nullptr;
  value["a"] = strings;
  value["a"] = nlohmann::json::array({1, "b"});
  value["a"]["b"] = value[strings.front()];
  value.push_back(strings.front());
  value.push_back({{"a", 1}});
  value.emplace_back(strings.front());
  value.update(value["a"]);
  value.erase("a");
  const nlohmann::json& held = value;
  (void)held.value("a", "b");
  (void)held.value("a", strings.front());
  (void)held.value("a", std::string());
  (void)held.value("a", 1);
  (void)held.value("a", std::int64_t{1});
  (void)held.value("a", false);
  (void)held.value("a", 1.5);
  (void)held.value("a", held);
  (void)held.value("a", nlohmann::json::object());
  (void)held.contains("a");
  (void)held.contains(strings.front());
  (void)held.find("a");
  (void)held.find(strings.front());
  (void)held.at("a").get<std::string>();
  (void)held.at(strings.front()).get<std::int64_t>();
  (void)held["a"].get<int>();
  (void)held["a"].get<double>();
  (void)held["a"].get<bool>();
  (void)held["a"].get<std::uint64_t>();
  (void)held["a"].get<std::vector<std::string>>();
  (void)held["a"].get_ref<const std::string&>();
  (void)(held["a"] == "b");
  (void)(held["a"] == 1);
  (void)(held["a"] == strings.front());
  (void)(held["a"] == true);
  for (const auto& [key, item] : held.items()) strings.push_back(key + item.dump());
  for (const nlohmann::json& item : held) strings.push_back(item.dump());
}

inline boost::asio::awaitable<void> wait_for(boost::asio::steady_timer& timer) {
  co_await timer.async_wait(boost::asio::use_awaitable);
  co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
}
inline boost::asio::awaitable<bool> wait_again(boost::asio::steady_timer& timer) {
  co_await wait_for(timer);
  co_return true;
}
inline void use_coroutines(boost::asio::io_context& io, boost::asio::steady_timer& timer) {
  boost::asio::co_spawn(io, wait_for(timer), boost::asio::detached);
  boost::asio::co_spawn(
      io, [&]() -> boost::asio::awaitable<void> { co_await wait_again(timer); }, boost::asio::detached);
}

}  // namespace det::precompiled
