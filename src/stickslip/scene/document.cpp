// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "stickslip/base/nearest.h"
#include "stickslip/scene/toml_text.h"

namespace stickslip {
namespace {

struct Describe {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const TomlValue::Date&) const { return "a date or time"; }
  std::string operator()(const TomlValue::Table&) const { return "a table"; }
  std::string operator()(const TomlValue::Array& values) const {
    constexpr std::size_t kMost = 4;  // [-] values that a message lists
    const auto is_number = [](const TomlValue& v) {
      return std::holds_alternative<double>(v.content) || std::holds_alternative<std::int64_t>(v.content);
    };
    if (values.size() > kMost || !std::all_of(values.begin(), values.end(), is_number)) {
      return values.size() == 1 ? "an array of 1 value" : fmt::format("an array of {} values", values.size());
    }
    std::string list;
    for (const TomlValue& value : values) list += (list.empty() ? "" : ", ") + std::visit(*this, value.content);
    return "[" + list + "]";
  }
  std::string operator()(const std::string& value) const {
    constexpr std::size_t kMost = 60;  // [bytes] of a string that a message repeats
    if (value.size() <= kMost) return quote_toml(value);
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;  // not within a character
    return quote_toml(value.substr(0, end)) + "...";
  }
};

const std::string* type_of(const TomlValue::Table& table) {
  const TomlValue* type = find_value(table, "type");
  return type == nullptr ? nullptr : type->string();
}

void merge_named(TomlValue::Array& base, TomlValue::Array&& later) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < base.size(); ++i) known.emplace(contact_name(base[i]), i);
  for (TomlValue& contact : later) {
    const std::string name = contact_name(contact);
    const auto same = known.find(name);
    const bool merges = !name.empty() && same != known.end();
    if (merges) {
      merge_documents(*base[same->second].table(), std::move(*contact.table()));
    } else {
      base.push_back(std::move(contact));
    }
  }
}

void merge_entry(TomlValue& present, TomlEntry&& entry) {
  constexpr std::array<std::string_view, 4> kNamed = {"contacts", "couplings", "sensors", "measures"};
  const bool has_names = std::ranges::find(kNamed, entry.key) != kNamed.end();
  if (has_names && present.array() != nullptr && entry.value.array() != nullptr) {
    merge_named(*present.array(), std::move(*entry.value.array()));
    return;
  }
  if (entry.key == "laws" && present.array() != nullptr && entry.value.array() != nullptr) {
    for (TomlValue& law : *entry.value.array()) present.array()->push_back(std::move(law));
    return;
  }
  TomlValue::Table* before = present.table();
  TomlValue::Table* after = entry.value.table();
  if (before == nullptr || after == nullptr) {
    present = std::move(entry.value);
    return;
  }
  const std::string* old_type = type_of(*before);
  const std::string* new_type = type_of(*after);
  const bool other_type = old_type != nullptr && new_type != nullptr && *old_type != *new_type;
  if (other_type) {
    present = std::move(entry.value);
  } else {
    merge_documents(*before, std::move(*after));
  }
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> number_as_people_write_it(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_number = !digits.empty() && (digits.front() == '.' || (digits.front() >= '0' && digits.front() <= '9'));
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!is_number || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void set_place(TomlValue& value, const Mark& mark) {
  value.mark = mark;
  if (TomlValue::Array* array = value.array()) {
    for (TomlValue& element : *array) set_place(element, mark);
  }
  if (TomlValue::Table* table = value.table()) {
    for (TomlEntry& entry : *table) {
      entry.mark = mark;
      set_place(entry.value, mark);
    }
  }
}

/// One "key.path=value" and where it goes.
class Override {
 public:
  Override(Document& document, const std::string& assignment)
      : document_(&document), mark_{static_cast<int>(document.texts.size()), 0, 0}, name_("--set " + assignment) {
    check_toml_text(assignment, name_);
    document.texts.push_back(name_);
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) fail("", "key.path=value");
    path_ = std::string(trim(std::string_view(assignment).substr(0, equals)));
    value_text_ = std::string(trim(std::string_view(assignment).substr(equals + 1)));
  }

  /// Of the scheme or the solver.
  bool chooses_type() const { return path_ == "scheme.type" || path_ == "solver.type"; }

  void apply() {
    TomlValue value = read_value();
    TomlValue* parent = &document_->root;
    std::string_view rest = path_;
    std::string_view above;  // the part of the path that is found
    while (true) {
      const std::size_t dot = rest.find('.');
      const std::string_view key = rest.substr(0, dot);
      if (key.empty()) fail(path_, "key.path=value, with a name before and after each '.'");
      if (dot == std::string_view::npos) {
        set_value(*parent, above, key, std::move(value));
        return;
      }
      parent = descend(*parent, above, key);
      rest = rest.substr(dot + 1);
      above = std::string_view(path_).substr(0, path_.size() - rest.size() - 1);
    }
  }

 private:
  TomlValue read_value() {
    TomlValue value;
    try {
      TomlValue parsed = parse_toml("value = " + value_text_, mark_.text, name_);
      TomlValue::Table& table = *parsed.table();
      if (table.size() != 1) fail(path_, "one value");
      value = std::move(table.front().value);
    } catch (const InputError& error) {
      const bool broken_toml =
          value_text_.empty() || std::string_view("\"'[{").find(value_text_[0]) != std::string::npos;
      if (const std::optional<double> number = number_as_people_write_it(value_text_)) {
        value.content = *number;
      } else if (broken_toml) {
        fail(path_, value_text_.empty() ? "key.path=value" : error.allowed());
      } else {
        value.content = value_text_;
      }
    }
    set_place(value, mark_);
    return value;
  }

  // What `key` names within `parent`. Tables of settings are made where they are missing; bodies, contacts,
  // forces and shapes are not.
  TomlValue* descend(TomlValue& parent, std::string_view above, std::string_view key) {
    if (TomlValue::Array* elements = parent.array()) {
      for (TomlValue& element : *elements) {
        if (!contact_name(element).empty() && contact_name(element) == key) return &element;
      }
      fail_unknown(parent, above, key);
    }
    TomlValue::Table* table = parent.table();
    if (table == nullptr) fail(path_, fmt::format("{} is {}, not a table", above, describe_value(parent)));
    if (TomlValue* value = find_value(*table, key)) return value;
    if (holds_names(above)) fail_unknown(parent, above, key);
    if (above.empty() && holds_names(key)) fail(path_, fmt::format("the scene has no {}", key));
    table->push_back({std::string(key), mark_, TomlValue{TomlValue::Table{}, mark_}});
    return &table->back().value;
  }

  static bool holds_names(std::string_view path) {
    return path == "bodies" || path == "contacts" || path == "couplings" || path == "forces" ||
           path.ends_with(".shapes");
  }

  void set_value(TomlValue& parent, std::string_view above, std::string_view key, TomlValue&& value) {
    TomlValue::Table* table = parent.table();
    if (table == nullptr) fail(path_, fmt::format("{} is {}, not a table", above, describe_value(parent)));
    TomlValue* present = find_value(*table, key);
    if (present == nullptr && holds_names(above)) fail_unknown(parent, above, key);
    // Another scheme or solver has other options; where to stop is common to all solvers.
    const bool other_type = key == "type" && present != nullptr && (above == "scheme" || above == "solver") &&
                            describe_value(*present) != describe_value(value);
    if (other_type) {
      std::erase_if(*table, [](const TomlEntry& entry) {
        return entry.key != "type" && entry.key != "tolerance" && entry.key != "max_iterations";
      });
      if (above == "scheme") std::erase_if(*table, [](const TomlEntry& entry) { return entry.key != "type"; });
      present = find_value(*table, key);
    }
    if (present != nullptr) {
      *present = std::move(value);
    } else {
      table->push_back({std::string(key), mark_, std::move(value)});
    }
  }

  [[noreturn]] void fail_unknown(const TomlValue& parent, std::string_view above, std::string_view key) const {
    std::vector<std::string> names;
    if (const TomlValue::Array* elements = parent.array()) {
      for (const TomlValue& element : *elements) names.push_back(contact_name(element));
    }
    if (const TomlValue::Table* table = parent.table()) {
      for (const TomlEntry& entry : *table) names.push_back(entry.key);
    }
    const std::string nearest = nearest_name(key, std::vector<std::string_view>(names.begin(), names.end()));
    const std::string hint = nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
    fail(path_, fmt::format("{} has no '{}'{}", above, key, hint));
  }

  [[noreturn]] void fail(const std::string& key, const std::string& allowed) const {
    throw InputError({name_, 0, 0}, key, "", allowed);
  }

  Document* document_;
  Mark mark_;
  std::string name_;
  std::string path_;
  std::string value_text_;
};

}  // namespace

SourcePlace Document::place(const Mark& mark) const {
  if (mark.text != 0 || converted.empty()) return {texts[mark.text], mark.line, mark.column};
  const auto behind = std::ranges::upper_bound(converted, mark.line, {}, &ConvertedLines::first);
  return behind == converted.begin() ? SourcePlace{texts[0], 0, 0} : std::prev(behind)->place;
}

const TomlValue* find_value(const TomlValue::Table& table, std::string_view key) {
  const auto found =
      std::find_if(table.begin(), table.end(), [key](const TomlEntry& entry) { return entry.key == key; });
  return found == table.end() ? nullptr : &found->value;
}

TomlValue* find_value(TomlValue::Table& table, std::string_view key) {
  return const_cast<TomlValue*>(find_value(std::as_const(table), key));
}

std::string describe_value(const TomlValue& value) {
  return std::visit(Describe{}, value.content);
}

std::string write_toml_value(const TomlValue& value) {
  struct Write {
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
    std::string operator()(double x) const { return write_toml_number(x); }
    std::string operator()(const std::string& x) const { return quote_toml(x); }
    std::string operator()(const TomlValue::Date&) const { return quote_toml("a date"); }  // which no key takes
    std::string operator()(const TomlValue::Array& x) const {
      std::string text;
      for (const TomlValue& element : x) text += (text.empty() ? "" : ", ") + write_toml_value(element);
      return "[" + text + "]";
    }
    std::string operator()(const TomlValue::Table& x) const {
      std::string text;
      for (const TomlEntry& entry : x) {
        text += (text.empty() ? "" : ", ") + quote_toml_key(entry.key) + " = " + write_toml_value(entry.value);
      }
      return "{" + text + "}";
    }
  };
  return std::visit(Write{}, value.content);
}

void merge_documents(TomlValue::Table& base, TomlValue::Table&& later) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < base.size(); ++i) known.emplace(base[i].key, i);
  for (TomlEntry& entry : later) {
    const auto present = known.find(entry.key);
    if (present == known.end()) {
      base.push_back(std::move(entry));
    } else {
      merge_entry(base[present->second].value, std::move(entry));
    }
  }
}

void apply_overrides(Document& document, const std::vector<std::string>& assignments) {
  std::vector<Override> overrides;
  overrides.reserve(assignments.size());
  for (const std::string& assignment : assignments) overrides.emplace_back(document, assignment);
  // A type forgets the options of the one before, never those that are asked for beside it.
  std::stable_partition(overrides.begin(), overrides.end(), [](const Override& o) { return o.chooses_type(); });
  for (Override& o : overrides) o.apply();
}

std::string contact_name(const TomlValue& contact) {
  const TomlValue::Table* table = contact.table();
  if (table == nullptr) return {};
  if (const TomlValue* name = find_value(*table, "name")) return name->string() == nullptr ? "" : *name->string();
  const TomlValue* between = find_value(*table, "between");
  if (between == nullptr || between->array() == nullptr || between->array()->size() != 2) return {};
  const std::string* first = (*between->array())[0].string();
  const std::string* second = (*between->array())[1].string();
  if (first == nullptr || second == nullptr) return {};
  std::string name = *first + "-" + *second;
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

}  // namespace stickslip
