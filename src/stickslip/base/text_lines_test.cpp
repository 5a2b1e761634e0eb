// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/base/text_lines.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

std::vector<std::string> words_of(const TextLines& lines) {
  std::vector<std::string> words;
  for (const TextWord& word : lines.words()) words.emplace_back(word.text);
  return words;
}

TEST(TextLines, SkipsEmptyLinesAndCommentsAndCountsThem) {
  const std::string text = "# a 1\n\n  b  2 \t c\r\n   # no\nd,e";
  TextLines lines(text, "x.txt", TextLines::Commas::are_letters);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), 3);
  EXPECT_EQ(words_of(lines), (std::vector<std::string>{"b", "2", "c"}));
  EXPECT_EQ(lines.words()[1].column, 6);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(words_of(lines), (std::vector<std::string>{"d,e"}));
  EXPECT_FALSE(lines.next());
}

TEST(TextLines, CommasSeparateAndLeaveEmptyWords) {
  const std::string text = "1, 2 ,3 4\n5,,6\n7,\n,8";
  TextLines lines(text, "x.csv", TextLines::Commas::are_separators);
  const std::vector<std::vector<std::string>> expected = {{"1", "2", "3", "4"}, {"5", "", "6"}, {"7", ""}, {"", "8"}};
  for (const auto& words : expected) {
    ASSERT_TRUE(lines.next());
    EXPECT_EQ(words_of(lines), words);
  }
  EXPECT_FALSE(lines.next());
}

TEST(TextLines, NumbersAreFiniteAndWhole) {
  const std::string text = "+1.5 -2e3 .5 nan inf 1e999 0x1 1.5m +-1 -";
  TextLines lines(text, "x.csv", TextLines::Commas::are_separators);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.number(lines.words()[0]), 1.5);
  EXPECT_EQ(lines.number(lines.words()[1]), -2000.0);
  EXPECT_EQ(lines.number(lines.words()[2]), 0.5);
  for (std::size_t i = 3; i < lines.words().size(); ++i) {
    EXPECT_THROW(lines.number(lines.words()[i]), InputError) << lines.words()[i].text;
  }
}

TEST(TextLines, ErrorsSayWhereAndShowWhatCanBeShown) {
  const std::string text = "1\n2 \x01\xff" + std::string(60, 'x');
  TextLines lines(text, "x.csv", TextLines::Commas::are_separators);
  lines.next();
  lines.next();
  try {
    lines.number(lines.words()[1]);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), (SourcePlace{"x.csv", 2, 3}));
    EXPECT_EQ(error.value(), "\"??" + std::string(38, 'x') + "\"...");
  }
}

}  // namespace
}  // namespace stickslip
