// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/scene/toml_text.h"

#include <gtest/gtest.h>

#include <string>

#include "stickslip/base/input_error.h"

namespace stickslip {
namespace {

TEST(TomlText, MeasuresUtf8) {
  EXPECT_EQ(utf8_sequence_length(""), 0);
  EXPECT_EQ(utf8_sequence_length("a"), 1);
  EXPECT_EQ(utf8_sequence_length("\xc3\xa9"), 2);
  EXPECT_EQ(utf8_sequence_length("\xe2\x82\xac"), 3);
  EXPECT_EQ(utf8_sequence_length("\xf0\x9f\x98\x80"), 4);
  EXPECT_EQ(utf8_sequence_length("\xc3"), 0);              // truncated
  EXPECT_EQ(utf8_sequence_length("\xe2\x82"), 0);          // truncated
  EXPECT_EQ(utf8_sequence_length("\xc0\x80"), 0);          // overlong
  EXPECT_EQ(utf8_sequence_length("\xe0\x80\x80"), 0);      // overlong
  EXPECT_EQ(utf8_sequence_length("\xf0\x80\x80\x80"), 0);  // overlong
  EXPECT_EQ(utf8_sequence_length("\xed\xa0\x80"), 0);      // a surrogate
  EXPECT_EQ(utf8_sequence_length("\xf4\x90\x80\x80"), 0);  // beyond U+10FFFF
  EXPECT_EQ(utf8_sequence_length("\x80"), 0);              // a continuation
  EXPECT_EQ(utf8_sequence_length("\xff"), 0);
}

TEST(TomlText, FindsControlCharacters) {
  EXPECT_FALSE(has_control_character("K\xc3\xb6rper 1"));
  EXPECT_TRUE(has_control_character("a\tb"));
  EXPECT_TRUE(has_control_character("\x7f"));
  EXPECT_TRUE(has_control_character("\xc2\x85"));   // C1
  EXPECT_FALSE(has_control_character("\xc2\xa0"));  // a no-break space
}

TEST(TomlText, Quotes) {
  EXPECT_EQ(quote_toml("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000A\"");
  EXPECT_EQ(quote_toml_key("ball-1_x"), "ball-1_x");
  EXPECT_EQ(quote_toml_key("a b"), "\"a b\"");
  EXPECT_EQ(quote_toml_key(""), "\"\"");
}

std::string verdict(const std::string& text) {
  try {
    check_toml_text(text, "f");
  } catch (const InputError& error) {
    return error.what();
  }
  return "fine";
}

std::string repeat(const std::string& part, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += part;
  return text;
}

TEST(TomlText, GuardsAgainstDeepNesting) {
  EXPECT_EQ(verdict("a = " + repeat("[", 32)), "fine");
  EXPECT_EQ(verdict("a = " + repeat("[", 33)), "f:1:37: nested more than 32 levels deep");
  EXPECT_NE(verdict("a = " + repeat("{x = ", 33)), "fine");
  EXPECT_NE(verdict("\n" + repeat("a.", 40) + "b = 1"), "fine");
  EXPECT_NE(verdict("[" + repeat("a . ", 40) + "b]"), "fine");
  EXPECT_NE(verdict(repeat("\"a\".", 40) + "b = 1"), "fine");
  EXPECT_EQ(verdict("a = [" + repeat("1.5, ", 100) + "]\n" + repeat("b.c = 2.5\n", 100)), "fine");
  EXPECT_EQ(verdict("a = [" + repeat("[1], ", 100) + "]"), "fine");
}

TEST(TomlText, RefusesBracketsThatDoNotMatch) {
  EXPECT_EQ(verdict("a = [1, }"), "f:1:9: not TOML: '}' closes no '{'");
  EXPECT_EQ(verdict("a = {b = 1]"), "f:1:11: not TOML: ']' closes no '['");
  EXPECT_EQ(verdict("a = ]"), "f:1:5: not TOML: ']' closes no '['");
}

TEST(TomlText, RefusesOtherThanAsciiOutsideStrings) {
  EXPECT_NE(verdict("[bodies.K\xc3\xb6rper]").find("f:1:10: not TOML: outside strings"), std::string::npos);
  EXPECT_EQ(verdict("[bodies.\"K\xc3\xb6rper\"] # \xc3\xb6"), "fine");
  EXPECT_EQ(verdict("\xEF\xBB\xBF"
                    "a = 1"),
            "fine");
  EXPECT_NE(verdict("a = \"\"\"b\\ \n \xc3\xb6\"\"\""), "fine");
  EXPECT_EQ(verdict("a = \"\"\"b\\ \n c\xc3\xb6\"\"\""), "fine");
}

TEST(TomlText, RefusesStringsWithinWords) {
  EXPECT_NE(verdict("a = 2e=3x[\"\xc3\xb6\"]"), "fine");
  EXPECT_EQ(verdict("a = 1\"b\""), "f:1:6: not TOML: a string begins in the middle of a word");
  EXPECT_EQ(verdict("\"a\".'b'=\"c\"\n\"d\" = [\"e\",\"f\"]"), "fine");
  EXPECT_EQ(verdict("a = \"\"\"b\"\"\"\"\" # two quotes of its own"), "fine");
  EXPECT_NE(verdict("a = \"\\\xc3\xb6\""), "fine");
  EXPECT_NE(verdict("a = [1, 0.\"\xc3\xb6\"]"), "fine");
  EXPECT_EQ(verdict("a = [{b.\"c\" = 1, d.\"e\" = {}}, {f.\"g\" = [1]}]\n[h.\"i\"]\nj.\"k\" = 1"), "fine");
}

TEST(TomlText, LeavesStringsAndCommentsAlone) {
  const std::string dots = repeat("[.", 100);
  EXPECT_EQ(verdict("a = \"" + dots + "\""), "fine");
  EXPECT_EQ(verdict("a = '" + dots + "'"), "fine");
  EXPECT_EQ(verdict("a = \"\\\"" + dots + "\""), "fine");
  EXPECT_EQ(verdict("a = '\\' # " + dots), "fine");
  EXPECT_EQ(verdict("a = \"\"\"\n" + dots + "\n\"\" " + dots + "\"\"\""), "fine");
  EXPECT_EQ(verdict("a = '''\n" + dots + "'' '''"), "fine");
  EXPECT_EQ(verdict("# " + dots), "fine");
}

}  // namespace
}  // namespace stickslip
