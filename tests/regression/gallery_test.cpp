// SPDX-License-Identifier: BSD-3-Clause
// The galleries as users run them, study by study: what they hold agrees, or it is said why not.
#include "stickslip/gallery/run_gallery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace stickslip::test {
namespace {

namespace fs = std::filesystem;

/// A study, and how many of its numbers agree at least: all but those that its reasons tell of.
struct ShippedStudy {
  const char* gallery;
  const char* name;
  int agree;
  bool is_slow = false;
};

void PrintTo(const ShippedStudy& study, std::ostream* out) {
  *out << study.gallery << '/' << study.name;
}

constexpr std::array kShippedStudies = {
    ShippedStudy{"capobianco", "10_1_bouncing_ball", 47},
    ShippedStudy{"capobianco", "10_2_ball_in_corner", 32},
    ShippedStudy{"capobianco", "10_3_ball_in_cylinder", 29},
    ShippedStudy{"capobianco", "10_4_sliding_rod", 25},
    ShippedStudy{"capobianco", "10_5_hopper", 39, true},
    ShippedStudy{"capobianco", "10_6_tippe_top", 31, true},
    ShippedStudy{"kikuuwe-brogliato", "3_baumgarte", 2},
    ShippedStudy{"kikuuwe-brogliato", "4_5_inclusions", 15},
    ShippedStudy{"kikuuwe-brogliato", "5_1_penalty", 5},
    ShippedStudy{"kikuuwe-brogliato", "5_1_planar_friction", 12},
    ShippedStudy{"kikuuwe-brogliato", "5_2_restitution", 16, true},
    ShippedStudy{"kikuuwe-brogliato", "5_3_painleve", 56, true},
    ShippedStudy{"kikuuwe-brogliato", "5_sphere", 5},
    ShippedStudy{"negrut", "3_1_lift_off", 73},
    ShippedStudy{"negrut", "3_2_box", 10},
    ShippedStudy{"negrut", "3_3_stabilisation", 30},
    ShippedStudy{"trinkle", "2_joint_friction", 40},
    ShippedStudy{"trinkle", "2_rolling_to_sliding", 12},
    ShippedStudy{"trinkle", "4_1_sphere", 24},
    ShippedStudy{"trinkle", "4_2_facets", 35},
};

fs::path galleries() {
  return fs::path(STICKSLIP_SCENES_DIR).parent_path() / "galleries";
}

void check_study_of(const ShippedStudy& shipped) {
  const TemporaryFolder folder;
  GalleryOptions options;
  options.scenes = STICKSLIP_SCENES_DIR;
  options.output = folder.path();
  options.times_steps = false;
  Gallery gallery = load_gallery(galleries(), shipped.gallery);
  std::erase_if(gallery.studies, [&](const Study& study) { return study.name != shipped.name; });
  ASSERT_EQ(gallery.studies.size(), 1u);
  const GalleryRecord record = run_gallery(gallery, options);
  EXPECT_EQ(record.outcome, Outcome::done);
  const StudyPage& page = record.studies[0].page;
  int agree = 0;
  for (const Comparison& c : page.comparisons) {
    agree += c.agrees() ? 1 : 0;
    EXPECT_TRUE(c.agrees() || c.is_explained()) << c.quantity << ' ' << c.ours << " not " << c.value;
    EXPECT_FALSE(std::isnan(c.ours)) << c.quantity;
    if (c.origin == Origin::analytic) {
      EXPECT_TRUE(c.agrees()) << c.quantity << ' ' << c.ours;
    }
  }
  EXPECT_GE(agree, shipped.agree);
  for (const Figure& figure : page.figures) EXPECT_TRUE(fs::exists(folder / (figure.name + ".csv"))) << figure.name;
}

class ShippedStudies : public testing::TestWithParam<ShippedStudy> {};
class SlowShippedStudies : public testing::TestWithParam<ShippedStudy> {};

TEST_P(ShippedStudies, AgreesOrHasAReason) {
  check_study_of(GetParam());
}
TEST_P(SlowShippedStudies, AgreesOrHasAReason) {
  check_study_of(GetParam());
}

std::vector<ShippedStudy> pick(bool slow) {
  std::vector<ShippedStudy> picked;
  std::ranges::copy_if(kShippedStudies, std::back_inserter(picked), [&](const auto& s) { return s.is_slow == slow; });
  return picked;
}

std::string test_name(const testing::TestParamInfo<ShippedStudy>& of) {
  std::string name = std::string(of.param.gallery) + "_" + of.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, ShippedStudies, testing::ValuesIn(pick(false)), test_name);
INSTANTIATE_TEST_SUITE_P(, SlowShippedStudies, testing::ValuesIn(pick(true)), test_name);

TEST(ShippedGalleries, AreAllInTheTests) {
  std::vector<std::string> expected, found;
  for (const ShippedStudy& s : kShippedStudies) expected.push_back(std::string(s.gallery) + "/" + s.name);
  for (const std::string& name : gallery_names(galleries())) {
    for (const Study& study : load_gallery(galleries(), name).studies) found.push_back(name + "/" + study.name);
  }
  EXPECT_EQ(found, expected);
}

/// What docs/gallery.md shows as a study is one.
TEST(ShippedGalleries, TheDocumentsStudyRuns) {
  std::ifstream in(STICKSLIP_TESTS_DIR "/../docs/gallery.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string open = "```toml\n";
  const std::size_t begin = page.find(open) + open.size();
  const std::size_t end = page.find("```", begin);
  ASSERT_NE(page.find(open), std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const TemporaryFolder folder;
  GalleryOptions options;
  options.scenes = STICKSLIP_SCENES_DIR;
  options.output = folder.path();
  const Gallery gallery = {"own", "of the page", {parse_study(page.substr(begin, end - begin), "gallery.md")}};
  const GalleryRecord record = run_gallery(gallery, options);
  ASSERT_EQ(record.studies[0].page.comparisons.size(), 2u);
  for (const Comparison& c : record.studies[0].page.comparisons) EXPECT_TRUE(c.agrees()) << c.quantity << ' ' << c.ours;
}

}  // namespace
}  // namespace stickslip::test
