// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/io/lcp_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include "stickslip/base/input_error.h"
#include "stickslip/io/new_file.h"
#include "stickslip/io/write_error.h"

namespace stickslip {
namespace {

constexpr std::size_t kShownCharacters = 40;  // [-] of a word in a message

/// Words of a text, with their places.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The next word, or an empty one at the end.
  std::string_view next() {
    while (position_ < text_.size() && is_blank(text_[position_])) step();
    line_ = next_line_;
    column_ = next_column_;
    const std::size_t start = position_;
    while (position_ < text_.size() && !is_blank(text_[position_])) step();
    return text_.substr(start, position_ - start);
  }
  std::size_t characters_left() const { return text_.size() - position_; }

  [[noreturn]] void fail(const std::string& what, std::string_view word, const std::string& allowed) const {
    throw InputError({file_, line_, column_}, what, std::string(word.substr(0, kShownCharacters)), allowed);
  }

  double number(const std::string& what) {
    const std::string_view word = next();
    if (word.empty()) fail(what, "", "missing: the text ends here");
    // from_chars takes no plus sign.
    const std::string_view digits = word.front() == '+' ? word.substr(1) : word;
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
      fail(what, word, "a finite number is needed");
    }
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }
  void step() {
    ++next_column_;
    if (text_[position_++] == '\n') {
      ++next_line_;
      next_column_ = 1;
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
  int next_line_ = 1;
  int next_column_ = 1;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace

LcpForm parse_lcp(std::string_view text, const std::string& file) {
  Words words(text, file);
  const std::string_view first = words.next();
  int n = 0;
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), n);
  if (error != std::errc() || end != first.data() + first.size() || n < 0) {
    words.fail("n", first, "an integer >= 0 is needed: n, then M by rows, then q");
  }
  // n^2 + n numbers, each with a blank before it.
  const double needed = 2.0 * n * (n + 1.0);
  if (needed > static_cast<double>(words.characters_left())) {
    words.fail(
        "n", first,
        fmt::format("the text is too short for so many unknowns: {} characters follow", words.characters_left()));
  }
  LcpForm form;
  form.m.resize(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double value = words.number("M");
      if (value != 0.0) entries.emplace_back(i, j, value);
    }
  }
  form.m.setFromTriplets(entries.begin(), entries.end());
  form.q.resize(n);
  for (int i = 0; i < n; ++i) form.q[i] = words.number("q");
  if (const std::string_view rest = words.next(); !rest.empty()) {
    words.fail("", rest, "nothing is expected after q");
  }
  return form;
}

LcpForm read_lcp(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError({path.string()}, "", "", std::filesystem::exists(path, error) ? "not a file" : "no such file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({path.string()}, "", "", "cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse_lcp(text, path.string());
}

void write_lcp(const std::filesystem::path& path, const LcpForm& form) {
  NewFile file(path);
  std::ofstream out(file.temporary_path(), std::ios::binary);
  out << fmt::format("{}\n", form.q.size());
  const Matrix m(form.m);
  for (Eigen::Index i = 0; i < m.rows(); ++i) out << fmt::format("{:.17g}\n", fmt::join(Vector(m.row(i)), " "));
  out << fmt::format("{:.17g}\n", fmt::join(form.q, " "));
  if (!out.flush()) throw WriteError(path.string() + ": cannot be written");
  out.close();
  file.publish();
}

void write_lcp_solution(const std::filesystem::path& path, std::span<const double> z) {
  NewFile file(path);
  std::ofstream out(file.temporary_path(), std::ios::binary);
  out << fmt::format("{}\n", z.size());
  for (const double value : z) out << fmt::format("{:.17g}\n", value);
  if (!out.flush()) throw WriteError(path.string() + ": cannot be written");
  out.close();
  file.publish();
}

}  // namespace stickslip
