// SPDX-License-Identifier: BSD-3-Clause
// Files of studies: what they become, and what is said of those that are wrong, with the place.
#include "stickslip/gallery/study.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "stickslip/base/input_error.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

const std::string kHead = "stickslip_study = 1\ntitle = \"a\"\nsource = \"b\"\n";
const std::string kRun = "[[runs]]\nscene = \"papers/s\"\n";

TEST(Study, EachStandsForSeveralEntries) {
  const Study study = parse_study(kHead + R"toml(
[[runs]]
each = {h = ["1e-2", "5e-3"], on = [true, false]}
name = "run_{h}"
scene = "s"
set = ["time.step={h}", "scheme.projection={on}"]
[[values]]
each = {h = ["1e-2", "5e-3"], x = ["0.50", "0.7"]}
quantity = "x at {h}"
run = "run_{h}"
ours = "last('/q')"
published = "{x}"
reason = "so far ${rows('/time')}, then ${2*h}"
explains = "2*h"
)toml",
                                  "study.toml");
  ASSERT_EQ(study.runs.size(), 2u);
  EXPECT_EQ(study.runs[1].name, "run_5e-3");
  EXPECT_EQ(study.runs[1].overrides, (std::vector<std::string>{"time.step=5e-3", "scheme.projection=false"}));
  EXPECT_EQ(study.runs[1].given, (std::map<std::string, double>{{"h", 5e-3}}));
  ASSERT_EQ(study.values.size(), 2u);
  EXPECT_EQ(study.values[0].printed, "0.50");
  EXPECT_FALSE(study.values[0].tolerance);
  EXPECT_EQ(study.values[1].quantity, "x at 5e-3");
  EXPECT_EQ(study.values[1].run, "run_5e-3");
  EXPECT_EQ(study.values[1].in_reason.size(), 2u);
  ASSERT_EQ(study.values[1].explains.size(), 1u);
  EXPECT_EQ(study.values[1].explains[0].text, "2*h");
}

struct Wrong {
  std::string text;
  std::string message;
};

TEST(Study, WrongOnesAreSaidWithTheirPlace) {
  const std::string kFigure = "[[figures]]\nname = \"figure_1\"\ncaption = \"\"\ncolumns = [[\"t\", \"s\", \"1\"]]\n";
  const std::string value = kHead + kRun + "[[values]]\nquantity = \"x\"\n";
  const std::string explained = value + "ours = 1\nstated = 0\ntolerance = 0\nreason = \"a\"\nexplains = ";
  const std::vector<Wrong> cases = {
      {"title = \"a\"\n", "study.toml:1:1: stickslip_study: missing: the version of the format, 1"},
      {"stickslip_study = 2\n", "study.toml:1:19: stickslip_study: 2: 1, the version"},
      {"stickslip_study = 1\ntitle = \"a\"\n", "source: missing"},
      {kHead + "valuse = 1\n", "study.toml:4:1: valuse: unknown key; did you mean 'values'?"},
      {kHead + "runs = 1\n", "runs: 1: an array of tables, [[runs]]"},
      {kHead + "[[runs]]\nname = \"a\"\n", "runs[0].scene: missing"},
      {kHead + "[[runs]]\nscene = \"s\"\nsteps = 3\n", "study.toml:6:1: runs[0].steps: unknown key"},
      {kHead + kRun + kRun, "runs[1].name"},
      {kHead + "[[runs]]\nscene = \"s\"\nname = \"a/b\"\n", "a name without / '"},
      {kHead + "[[runs]]\nscene = \"s\"\nset = \"a=1\"\n", "runs[0].set: \"a=1\": an array of texts"},
      {kHead + "[[runs]]\nscene = \"s\"\neach = {a = [1, 2], b = [1]}\n", "runs[0].each.b: [1]: a table of arrays"},
      {kHead + "[[runs]]\nscene = \"s\"\neach = {a = [[1]]}\n", "each.a: [1]: a number or a text"},
      {kHead + "[series]\nx = \"'/q'\"\n", "the study has no runs to read from"},
      {kHead + kRun + "[series]\nx = \"y + 1\"\ny = \"2*x\"\n", "a series that does not need itself"},
      {kHead + "constants = {x = 1.0}\n" + kRun + "[series]\nx = \"1\"\n", "a name that no constant has"},
      {kHead + "constants = {x = 1.0}\n[[runs]]\nscene = \"s\"\neach = {x = [1]}\n",
       "study.toml:6:9: each of s: x: a name that no constant or series has"},
      {value + "ours = \"1 +\"\nstated = 0\ntolerance = 0\n",
       "study.toml:8:8: values[0].ours: \"1 +\": column 4: expected"},
      {value + "ours = \"lagrest('/q')\"\nstated = 0\ntolerance = 0\n", "unknown function; did you mean 'largest'?"},
      {value + "ours = \"largest('/q', 2)\"\nstated = 0\ntolerance = 0\n", "largest takes 1 arguments"},
      {value + "ours = \"nth('/q')\"\nstated = 0\ntolerance = 0\n", "nth takes 3 arguments"},
      {value + "ours = \"pie\"\nstated = 0\ntolerance = 0\n", "unknown name; did you mean 'pi'?"},
      {value + "ours = \"1@t\"\nstated = 0\ntolerance = 0\n", "no run or analysis has this name"},
      {value + "ours = \"over('t_*', 1)\"\nstated = 0\ntolerance = 0\n", "no run or analysis has such a name"},
      {value + "ours = \"over(1, 1)\"\nstated = 0\ntolerance = 0\n", "over takes a pattern of run names"},
      {value + "ours = 1\nrun = \"t\"\nstated = 0\ntolerance = 0\n", "values[0].ours: run: t: a run or an analysis"},
      {value + "ours = 1\n", "values[0].published: missing: exactly one of"},
      {value + "ours = 1\nstated = 0\nanalytic = 0\n", "exactly one of published, stated, analytic, reference"},
      {value + "ours = 1\nstated = 0\n", "values[0].tolerance: missing"},
      {value + "ours = 1\npublished = \"1e-3\"\n", "values[0].tolerance: missing"},
      {value + "ours = 1\npublished = 4.2\n", "a number as it is printed, in quotation marks"},
      {value + "ours = 1\npublished = \"2*3\"\n", "a number as it is printed, in quotation marks"},
      {value + "ours = true\nstated = 0\n", "values[0].ours: true: a number or a formula"},
      {value + "ours = 1\nstated = 0\ntolerance = 0\nreason = \"as ${1\"\n", "each ${ has its }"},
      {value + "ours = 1\nstated = 0\ntolerance = 0\nreason = \"a\"\n",
       "values[0].explains: missing: a number, or a formula: the largest difference that the reason accounts for"},
      {value + "ours = 1\nstated = 0\ntolerance = 0\nexplains = 1\n", "values[0].explains: 1: beside a reason"},
      {explained + "-1\n", "study.toml:12:12: values[0].explains: \"-1\", which is -1: a number >= 0; differences of"},
      {explained + "\"1/0\"\n", "values[0].explains: \"1/0\", which is inf: a finite number"},
      {explained + "[0, \"log(-1)\"]\n", "values[0].explains: \"log(-1)\", which is nan: a finite number"},
      {explained + "[1, -1]\n", "values[0].explains: \"-1\", which is -1: at least the first of the two"},
      {explained + "[1]\n", "values[0].explains: [1]: a number, or a formula"},
      {explained + "[1, true]\n", "values[0].explains: true: a number or a formula"},
      {value + "ours = \"'no.csv'[x]\"\nstated = 0\ntolerance = 0\n", "no.csv: a file of numbers that cannot be read"},
      {kHead + kRun + "[[figures]]\nname = \"a\"\ncaption = \"\"\ncolumns = []\n",
       "a name that begins with figure_ or curve_"},
      {kHead + kRun + "[[figures]]\nname = \"figure_1\"\ncaption = \"\"\ncolumns = [[\"a\", \"s\"]]\n",
       "figures[0].columns: an array of 2 values: an array of columns, each [name, unit, formula]"},
      {kHead + kRun + kFigure + "curves = [{name = \"a\", x = \"t\", y = \"z\"}]\n",
       "figure_1: curves: a: z: a column of the figure"},
      {kHead + kRun + kFigure + "curves = [{name = \"a\", of = \"figure_2\", x = \"t\", y = \"t\"}]\n",
       "figure_2: a figure of the study; did you mean 'figure_1'?"},
      {kHead + kRun + kFigure + "curves = [{name = \"a\", x = \"t\", y = \"t\", style = \"dots\"}]\n", "style"},
      {value + "ours = 1\nstated = 0\ntolerance = 0\nmarks = [[\"figure_1\", \"1\", \"2\"]]\n",
       "values[0].marks: figure_1: a figure of the study"},
      {value + "ours = 1\nstated = 0\ntolerance = 0\nmarks = [[\"figure_1\", \"\", \"\"]]\n",
       "an array of [figure, x, y]"},
      {value + "ours = \"expected\"\nstated = 0\ntolerance = 0\n", "unknown name"},
      {kHead + "[[analyses]]\nname = \"a\"\nscene = \"s\"\nlevel = \"steps\"\n", "did you mean 'step'?"},
      {kHead + "[[analyses]]\nname = \"a\"\nscene = \"s\"\ndelta = \"-1\"\n",
       "analyses[0].delta: \"-1\": a number > 0"},
  };
  for (const Wrong& wrong : cases) {
    try {
      parse_study(wrong.text, "study.toml");
      ADD_FAILURE() << "taken: " << wrong.text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.message), std::string::npos)
          << error.what() << "\nwhere it should be: " << wrong.message;
    }
  }
}

TEST(Study, FilesOfNumbersHaveNamedColumns) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "data.csv") << "# origin\nt,x\n0,1\n1,\n";
  const std::string text = kHead + "[[values]]\nquantity = \"x\"\nstated = 1\ntolerance = 0\nours = ";
  EXPECT_EQ(parse_study(text + "\"first('data.csv'[x])\"\n", folder / "study.toml").values.size(), 1u);
  try {
    parse_study(text + "\"first('data.csv'[xx])\"\n", folder / "study.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("column 7: data.csv has no column 'xx'"), std::string::npos)
        << error.what();
  }
  std::ofstream(folder / "data.csv") << "t,x\n0,1,2\n";
  EXPECT_THROW(parse_study(text + "\"first('data.csv'[x])\"\n", folder / "study.toml"), InputError);
}

}  // namespace
}  // namespace stickslip
