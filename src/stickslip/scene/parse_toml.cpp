// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "stickslip/scene/document.h"
#include "stickslip/scene/toml_text.h"

// toml++ 3.3 asserts what some broken texts violate ("a = [1, }"), and takes it for granted where NDEBUG is set. Here
// its assertions are on in every build and end the parse instead of the program.
namespace {
struct BrokenAssumption {};
[[noreturn]] void throw_broken_assumption() {
  throw BrokenAssumption();
}
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : throw_broken_assumption())
#include <toml++/toml.h>

namespace stickslip {
namespace {

/// Copies toml++'s tree, which sorts keys, into ours, which keeps their order.
class Converter {
 public:
  explicit Converter(int text_index) : text_index_(text_index) {}

  TomlValue convert(const toml::node& node) const {
    TomlValue value;
    value.mark = mark_of(node.source());
    node.visit([&](const auto& concrete) { value.content = content_of(concrete); });
    return value;
  }

 private:
  using Content = decltype(TomlValue::content);

  Content content_of(const toml::value<bool>& value) const { return value.get(); }
  Content content_of(const toml::value<std::int64_t>& value) const { return value.get(); }
  Content content_of(const toml::value<double>& value) const { return value.get(); }
  Content content_of(const toml::value<std::string>& value) const { return value.get(); }
  Content content_of(const toml::value<toml::date>&) const { return TomlValue::Date{}; }
  Content content_of(const toml::value<toml::time>&) const { return TomlValue::Date{}; }
  Content content_of(const toml::value<toml::date_time>&) const { return TomlValue::Date{}; }

  Content content_of(const toml::array& array) const {
    TomlValue::Array values;
    values.reserve(array.size());
    for (const toml::node& element : array) values.push_back(convert(element));
    return values;
  }

  Content content_of(const toml::table& table) const {
    TomlValue::Table entries;
    entries.reserve(table.size());
    for (const auto& [key, value] : table) {
      entries.push_back({std::string(key.str()), mark_of(key.source()), convert(value)});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
      return std::tie(a.mark.line, a.mark.column) < std::tie(b.mark.line, b.mark.column);
    });
    return entries;
  }

  Mark mark_of(const toml::source_region& region) const {
    return {text_index_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }

  int text_index_;
};

}  // namespace

TomlValue parse_toml(std::string_view text, int text_index, const std::string& text_name) {
  check_toml_text(text, text_name);
  try {
    const toml::table table = toml::parse(text, std::string_view(text_name));
    return Converter(text_index).convert(table);
  } catch (const toml::parse_error& error) {
    const toml::source_position& at = error.source().begin;
    throw InputError({text_name, static_cast<int>(at.line), static_cast<int>(at.column)}, "", "",
                     "not TOML: " + std::string(error.description()));
  } catch (const BrokenAssumption&) {
    throw InputError({text_name, 0, 0}, "", "", "not TOML, in a way that the parser cannot place");
  }
}

}  // namespace stickslip
