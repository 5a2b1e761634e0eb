// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/run_gallery.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "stickslip/base/input_error.h"
#include "stickslip/gallery/evaluator.h"
#include "stickslip/gallery/site.h"
#include "stickslip/gallery/tables.h"
#include "stickslip/io/write_error.h"
#include "stickslip/report/report.h"
#include "tests/support/temporary_folder.h"

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The cells of a line of CSV, quotation marks taken off.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// A file of numbers under a header: the columns by the header's cells.
std::map<std::string, std::vector<double>> read_columns(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = split(line);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line);
    EXPECT_EQ(cells.size(), names.size());
    for (std::size_t k = 0; k < names.size(); ++k) columns[names[k]].push_back(std::stod(cells[k]));
  }
  return columns;
}

/// "ours" of table.csv by quantity and origin.
std::map<std::string, double> read_ours(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line,
            "benchmark,quantity,unit,origin,expected,value,tolerance,ours,difference,agrees,explained_from,"
            "explained_to,reason");
  std::map<std::string, double> ours;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line);
    EXPECT_EQ(cells.size(), 13u) << line;
    ours[cells[1]] = std::stod(cells[7]);
  }
  return ours;
}

GalleryOptions options_for(const TemporaryFolder& folder) {
  GalleryOptions options;
  options.scenes = STICKSLIP_SCENES_DIR;
  options.output = folder / "out/capobianco";
  return options;
}

fs::path galleries() {
  return fs::path(STICKSLIP_SCENES_DIR).parent_path() / "galleries";
}

Gallery bouncing_ball() {
  Gallery gallery = load_gallery(galleries(), "capobianco");
  gallery.studies.resize(1);
  return gallery;
}

TEST(Gallery, UnknownNamesAreAnsweredWithTheNearest) {
  EXPECT_EQ(load_gallery(galleries(), "capobianco").name, "capobianco");
  try {
    load_gallery(galleries(), "capobianko");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'capobianco'"), std::string::npos) << error.what();
  }
}

TEST(Gallery, AllThatShipAreRead) {
  const std::vector<std::string> names = gallery_names(galleries());
  EXPECT_EQ(names, (std::vector<std::string>{"capobianco", "kikuuwe-brogliato", "negrut", "trinkle"}));
  for (const std::string& name : names) EXPECT_FALSE(load_gallery(galleries(), name).studies.empty()) << name;
}

TEST(Gallery, RunAndFigureNamesAreUnique) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& file, const std::string& text) { std::ofstream(folder / file) << text; };
  fs::create_directory(folder / "own");
  write("own/gallery.toml", "stickslip_gallery = 1\nsource = \"nothing\"\n");
  const std::string study = "stickslip_study = 1\ntitle = \"a\"\nsource = \"b\"\n[[runs]]\nscene = \"s\"\n";
  write("own/1.toml", study);
  EXPECT_EQ(load_gallery(folder.path(), "own").studies.size(), 1u);
  write("own/2.toml", study);
  try {
    load_gallery(folder.path(), "own");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("2.toml: run: s: a name that no other run has: 1 has it already"),
              std::string::npos)
        << error.what();
  }
}

/// A study without runs: what is compared with what.
StudyPage evaluate(const std::string& text) {
  const std::string head = "stickslip_study = 1\ntitle = \"a\"\nsource = \"b\"\n";
  return evaluate_study(parse_study(head + text, "study.toml"), {});
}

TEST(Gallery, AgreesToTheDigitsThatArePrinted) {
  const StudyPage page = evaluate(R"toml(
[[values]]
each = {printed = ["4.2", "4.2", "-0.29", "74", "74", "9.81"], ours = ["4.249", "4.251", "-0.285714", "74", "75", "0/0"]}
quantity = "a"
published = "{printed}"
ours = "{ours}"
)toml");
  const std::vector<bool> expected = {true, false, true, true, false, false};
  ASSERT_EQ(page.comparisons.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(page.comparisons[i].agrees(), expected[i]) << i;
}

TEST(Gallery, TheTableHoldsWhatTheFiguresDataShow) {
  const TemporaryFolder folder;
  const GalleryOptions options = options_for(folder);
  const GalleryRecord record = run_gallery(bouncing_ball(), options);
  EXPECT_EQ(record.outcome, Outcome::done);
  for (const char* result : {"bouncing_ball_zeno", "bouncing_ball_slip", "bouncing_ball_stick"}) {
    EXPECT_TRUE(fs::exists(options.output / "results" / (std::string(result) + ".h5"))) << result;
  }
  auto bounce = read_columns(options.output / "figure_1.csv");
  auto slide = read_columns(options.output / "figure_2_left.csv");
  auto stick = read_columns(options.output / "figure_2_right.csv");
  auto ours = read_ours(options.output / "table.csv");
  ASSERT_EQ(bounce.size(), 4u);
  ASSERT_EQ(slide.size(), 3u);
  for (const char* name : {"t [s]", "y [m]", "g_N [m]", "P_N [N s]"}) ASSERT_EQ(bounce[name].size(), 1001u) << name;
  for (const char* name : {"t [s]", "lambda_F [N]", "Lambda_F [N s]"}) {
    ASSERT_EQ(slide[name].size(), 1001u) << name;
    ASSERT_EQ(stick[name].size(), 1001u) << name;
  }
  // The last instant in flight, the first impact.
  std::size_t last = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < 1001; ++i) {
    EXPECT_NEAR(bounce["g_N [m]"][i], bounce["y [m]"][i] - 0.1, 1e-15);
    const bool closed = bounce["P_N [N s]"][i] > 0.0;
    if (!closed) last = i;
    if (closed && first == 0) first = i;
  }
  EXPECT_EQ(ours.at("e_N = 0.5: last instant in flight"), bounce["t [s]"][last]);
  EXPECT_EQ(ours.at("e_N = 0.5: time of impact 1"), bounce["t [s]"][first]);
  EXPECT_EQ(ours.at("e_N = 0.5: P_N of the first impact"), bounce["P_N [N s]"][first]);
  // The impact is where the impulsive force is largest; it slides on until the force vanishes.
  const auto impact = [](const std::vector<double>& impulse) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < impulse.size(); ++i) at = std::abs(impulse[i]) > std::abs(impulse[at]) ? i : at;
    return at;
  };
  const std::size_t i_slide = impact(slide["Lambda_F [N s]"]);
  EXPECT_EQ(ours.at("omega = 50: |Lambda_F| of the impact, mu Lambda_N"), std::abs(slide["Lambda_F [N s]"][i_slide]));
  EXPECT_EQ(ours.at("omega = 50: lambda_F while it slides"), slide["lambda_F [N]"][i_slide + 1]);
  std::size_t rolls = i_slide;
  while (std::abs(slide["lambda_F [N]"][rolls]) > 1.0) ++rolls;
  EXPECT_EQ(ours.at("omega = 50: first instant of stick"), slide["t [s]"][rolls]);
  EXPECT_EQ(ours.at("omega = 10: Lambda_F of the impact, -2/7 m R omega"),
            stick["Lambda_F [N s]"][impact(stick["Lambda_F [N s]"])]);
  // What is told apart from the numbers: the reasons.
  const std::string table = read_text(options.output / "table.md");
  EXPECT_EQ(table.find("not explained"), std::string::npos) << table;
  EXPECT_NE(table.find("| omega = 50: Lambda_N of the impact | N s | published | 4.2 | 4.2074 |"), std::string::npos)
      << table;
  EXPECT_EQ(read_columns(options.output / "figure_1.csv").size(), 4u);
  // The same as a page: its figures with the published values as marks, and a result for each run that a figure is of.
  const std::string page = read_text(options.output / "10_1_bouncing_ball.html");
  EXPECT_TRUE(is_report(options.output / "10_1_bouncing_ball.html"));
  EXPECT_LT(page.size(), 1.3e6);
  std::size_t results = 0;
  for (std::size_t at = 0; (at = page.find("class=\"result\"", at)) != std::string::npos; ++at) ++results;
  EXPECT_EQ(results, 3u);
  EXPECT_NE(page.find("\"quantity\":\"omega = 50: |Lambda_F| of the impact, mu Lambda_N\",\"unit\":\"N s\","
                      "\"origin\":\"published\",\"expected\":\"0.84\""),
            std::string::npos);
  const auto figure = std::ranges::find(record.studies[0].page.figures, "figure_2_left", &Figure::name);
  ASSERT_EQ(figure->marks.size(), 3u);
  EXPECT_EQ(figure->marks[0].x, slide["t [s]"][i_slide]);
  EXPECT_EQ(figure->marks[0].y, -0.84);
  EXPECT_NEAR(figure->marks[2].x, 0.728, 1e-3);
  EXPECT_TRUE(std::isnan(figure->marks[2].y));
  const std::string index = make_index_page({record});
  EXPECT_NE(index.find("\"page\":\"capobianco/10_1_bouncing_ball.html\""), std::string::npos);
  EXPECT_LT(index.size(), 1e5);
  EXPECT_NE(read_text(options.output / "runs.csv").find("\"bouncing_ball_zeno\",generalized-alpha,0.002,1000,done"),
            std::string::npos);
}

TEST(Gallery, AFailedRunIsReportedAndDoesNotStopTheOthers) {
  const TemporaryFolder folder;
  Gallery gallery = bouncing_ball();
  // Pushed until its speed is no double any more, before it touches the ground.
  gallery.studies[0].runs[1].overrides = {"bodies.ball.velocity=[1.7e308, 0]", "gravity=[1e308, -9.81]"};
  const GalleryOptions options = options_for(folder);
  const GalleryRecord record = run_gallery(gallery, options);
  EXPECT_EQ(record.outcome, Outcome::failed);
  EXPECT_EQ(record.studies[0].runs[1].result.outcome, Outcome::failed);
  EXPECT_EQ(record.studies[0].runs[2].result.outcome, Outcome::done);
  for (const std::string& text : {to_text(record), read_text(options.output / "table.md")}) {
    EXPECT_NE(text.find("bouncing_ball_slip: the step from t = "), std::string::npos) << text;
    EXPECT_NE(text.find("not reached"), std::string::npos) << text;
  }
}

TEST(Gallery, InexactStepsAreCountedAndSaid) {
  const TemporaryFolder folder;
  const Gallery gallery = {"own",
                           "two runs of a sphere",
                           {parse_study(R"toml(
stickslip_study = 1
title = "sphere"
source = "none"
[[runs]]
name = "exact"
scene = "papers/negrut/bowling_ball"
[[runs]]
name = "inexact"
scene = "papers/negrut/bowling_ball"
set = ["solver.type=pgs", "solver.max_iterations=1"]
[[values]]
quantity = "steps"
published = "60"
ours = "rows('/steps/time') - 1"
[[values]]
quantity = "steps, wrongly"
run = "inexact"
reference = 61
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "a mistake: there are ${rows('/time')} rows"
explains = "rows('/time') - 60"
[[values]]
quantity = "steps, more wrongly"
run = "inexact"
reference = 62
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "a mistake of one"
explains = 1
[[values]]
quantity = "steps, fewer"
run = "inexact"
reference = 61
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "one is left out"
explains = ["60 - rows('/time')", 0]
[[values]]
quantity = "steps, more"
run = "inexact"
reference = 59
tolerance = 0
ours = "rows('/steps/time') - 1"
reason = "some are left out"
explains = [-2, 0]
[[values]]
quantity = "never"
unit = "s"
run = "inexact"
analytic = 0
tolerance = 1
ours = "first('/time', '/time' > 100)"
)toml",
                                        "study.toml")}};
  const GalleryRecord record = run_gallery(gallery, options_for(folder));
  EXPECT_EQ(record.outcome, Outcome::inexact);
  const std::string text = to_text(record);
  EXPECT_NE(text.find("a mistake: there are 61 rows"), std::string::npos) << text;
  EXPECT_NE(text.find("of 60 steps stayed above the tolerance"), std::string::npos) << text;
  EXPECT_NE(text.find("published: 1 numbers, 1 agree, 0 differ"), std::string::npos) << text;
  EXPECT_NE(text.find("reference: 4 numbers, 0 agree, 4 differ (2 of them without a known reason)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("not explained: more than the 1 that this explains: a mistake of one"), std::string::npos)
      << text;
  EXPECT_NE(text.find("not explained: not the -2 to 0 that this explains: some are left out"), std::string::npos)
      << text;
  EXPECT_EQ(record.count_unexplained(), 3);
  EXPECT_NE(text.find("; 1 zeros and yes-or-no answers, 0 agree, 1 differ (1 of them without a known reason)"),
            std::string::npos)
      << text;
}

TEST(Gallery, ABoundOfAReasonIsAFiniteNumber) {
  const TemporaryFolder folder;
  for (const auto& [bound, message] :
       {std::pair("\"first('/time')/0\"", "study.toml:14:12: values[0].explains: \"first('/time')/0\", which is nan"),
        std::pair("\"0 - last('/time')\"", "a number >= 0; differences of one sign: [least, largest]"),
        std::pair("[\"last('/time')\", 0]", "values[0].explains: \"0\", which is 0: at least the first of the two")}) {
    const std::string text = fmt::format(R"toml(stickslip_study = 1
title = "sphere"
source = "none"
[[runs]]
name = "run"
scene = "papers/negrut/bowling_ball"
set = ["time.end=0.1"]
[[values]]
quantity = "none"
stated = 0
tolerance = 0
ours = 1
reason = "a"
explains = {}
)toml",
                                         bound);
    const Gallery gallery = {"own", "one run of a sphere", {parse_study(text, "study.toml")}};
    try {
      (void)run_gallery(gallery, options_for(folder));
      ADD_FAILURE() << bound;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(Gallery, StopsWhenAskedTo) {
  const TemporaryFolder folder;
  GalleryOptions options = options_for(folder);
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  EXPECT_EQ(run_gallery(bouncing_ball(), options).outcome, Outcome::interrupted);
  EXPECT_FALSE(fs::exists(options.output / "table.md"));
}

TEST(Gallery, AFileInTheWayOfTheFolderIsSaid) {
  const TemporaryFolder folder;
  std::ofstream(folder / "out") << "a file";
  EXPECT_THROW(run_gallery(bouncing_ball(), options_for(folder)), WriteError);
}

}  // namespace
}  // namespace stickslip
