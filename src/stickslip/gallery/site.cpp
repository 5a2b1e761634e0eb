// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "stickslip/base/build_info.h"
#include "stickslip/base/json.h"
#include "stickslip/gallery/tables.h"
#include "stickslip/report/report.h"

namespace stickslip {
namespace {

// With the program of the replay, 0.73 MB, a page takes 1.2 MB at most beside its figures, so that the twenty studies
// that ship stay below 30 MB (measured: 18 MB).
constexpr double kMotionBytes = 0.45e6;
constexpr std::size_t kMostShown = 4;      // [-] runs that move on a page
constexpr std::size_t kMostRows = 4000;    // [-] of a figure: four a pixel
constexpr std::size_t kPictureRows = 120;  // [-] of the picture in the index, 280 pixels wide

std::string describe_program() {
  return fmt::format("Made by stickslip {}, commit {}, {}.", version(), commit(), compiler());
}

/// Rows of a figure that are kept: all, or of each stretch those where some column is lowest and highest.
std::vector<std::size_t> pick_figure_rows(const Figure& figure, std::size_t most) {
  const std::size_t n = figure.columns.empty() ? 0 : figure.columns[0].values.size();
  std::vector<std::size_t> rows;
  const bool is_course = n > 0 && std::ranges::adjacent_find(figure.columns[0].values, std::greater_equal<>()) ==
                                      figure.columns[0].values.end();
  if (n <= most || !is_course) {
    // What is no course of time, but the states of a grid, is thinned only where nobody could tell them apart.
    const std::size_t stride = is_course ? 1 : n / (5 * most) + 1;
    for (std::size_t i = 0; i < n; i += stride) rows.push_back(i);
    return rows;
  }
  const std::size_t stretches = std::max<std::size_t>(1, most / (2 * figure.columns.size()));
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    const std::size_t first = stretch * n / stretches, end = (stretch + 1) * n / stretches;
    std::vector<std::size_t> kept = {first, end - 1};
    for (std::size_t k = 1; k < figure.columns.size(); ++k) {
      const auto at = figure.columns[k].values.begin();
      const auto below = [](double a, double b) { return a < b || (std::isnan(a) && !std::isnan(b)); };
      const auto [low, high] =
          std::minmax_element(at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(end), below);
      kept.push_back(static_cast<std::size_t>(low - at));
      kept.push_back(static_cast<std::size_t>(high - at));
    }
    std::ranges::sort(kept);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    rows.insert(rows.end(), kept.begin(), kept.end());
  }
  return rows;
}

/// What a figure is of where it does not say so: the study's first run.
std::string run_of(const Figure& figure, const StudyRecord& study) {
  const std::string& name = figure.run.empty() && !study.runs.empty() ? study.runs.front().run.name : figure.run;
  const bool is_run = std::ranges::any_of(study.runs, [&](const RunRecord& r) { return r.run.name == name; });
  return is_run ? name : "";
}

std::string figures_to_json(const StudyRecord& study, PageData& data) {
  std::string figures;
  for (const Figure& figure : study.page.figures) {
    const std::vector<std::size_t> rows = pick_figure_rows(figure, kMostRows);
    std::string columns, curves, marks;
    for (std::size_t k = 0; k < figure.columns.size(); ++k) {
      const FigureColumn& column = figure.columns[k];
      columns += fmt::format("{}[{},{}]", k == 0 ? "" : ",", to_json(column.name), to_json(column.unit));
      std::vector<float> values;
      values.reserve(rows.size());
      for (const std::size_t i : rows) values.push_back(static_cast<float>(column.values[i]));
      data.add(fmt::format("{}/{}", figure.name, k), values);
    }
    for (const FigureCurve& curve : figure.curves) {
      curves += fmt::format("{}{{\"name\":{},\"of\":{},\"x\":{},\"y\":{},\"by\":{},\"style\":{}}}",
                            curves.empty() ? "" : ",", to_json(curve.name), to_json(curve.of), to_json(curve.x),
                            to_json(curve.y), to_json(curve.by), to_json(curve.style));
    }
    for (const FigureMark& mark : figure.marks) {
      marks += fmt::format("{}{{\"number\":{},\"x\":{},\"y\":{}}}", marks.empty() ? "" : ",", mark.comparison,
                           to_json(mark.x), to_json(mark.y));
    }
    figures +=
        fmt::format("{}{{\"name\":{},\"caption\":{},\"run\":{},\"columns\":[{}],\"curves\":[{}],\"marks\":[{}]}}",
                    figures.empty() ? "" : ",", to_json(figure.name), to_json(figure.caption),
                    to_json(run_of(figure, study)), columns, curves, marks);
  }
  return '[' + figures + ']';
}

std::string numbers_to_json(const StudyRecord& study) {
  std::string numbers;
  for (const Comparison& c : study.page.comparisons) {
    numbers += fmt::format(
        "{}{{\"quantity\":{},\"unit\":{},\"origin\":{},\"expected\":{},\"ours\":{},\"difference\":{},"
        "\"tolerance\":{},\"agrees\":{},\"reason\":{}}}",
        numbers.empty() ? "" : ",", to_json(c.quantity), to_json(c.unit), to_json(origin_name(c.origin)),
        to_json(c.expected), to_json(c.ours), to_json(c.difference()), to_json(c.tolerance), c.agrees(),
        to_json(describe_reason(c)));
  }
  return '[' + numbers + ']';
}

std::string runs_to_json(const StudyRecord& study) {
  std::string runs;
  for (const RunRecord& r : study.runs) {
    const Summary& s = r.result.summary;
    runs += fmt::format(
        "{}{{\"name\":{},\"scheme\":{},\"step\":{},\"steps\":{},\"outcome\":{},\"iterations\":{},"
        "\"most_iterations\":{},\"inexact\":{},\"residual\":{},\"penetration\":{},\"microseconds\":{},"
        "\"elsewhere\":{}}}",
        runs.empty() ? "" : ",", to_json(r.run.name), to_json(r.scheme), to_json(r.step), s.steps,
        to_json(outcome_name(r.result.outcome)), to_json(r.mean_iterations), r.max_iterations, s.inexact,
        to_json(s.residual.value), to_json(s.penetration.value), to_json(r.microseconds_per_step),
        to_json(r.run.elsewhere));
  }
  return '[' + runs + ']';
}

std::string analyses_to_json(const StudyRecord& study) {
  std::string analyses;
  for (const AnalysisRecord& a : study.analyses) {
    analyses += fmt::format("{}{{\"name\":{},\"level\":{},\"states\":{}}}", analyses.empty() ? "" : ",",
                            to_json(a.name), to_json(a.level), a.states);
  }
  return '[' + analyses + ']';
}

/// Runs that a figure is of, in order; the first run where none is.
std::vector<std::string> shown_runs(const StudyRecord& study) {
  std::vector<std::string> names;
  for (const Figure& figure : study.page.figures) {
    const std::string name = run_of(figure, study);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.empty() && !study.runs.empty()) names.push_back(study.runs.front().run.name);
  if (names.size() > kMostShown) names.resize(kMostShown);
  return names;
}

/// How many numbers of each origin agree, of how many.
std::string counts_to_json(const StudyRecord& study) {
  std::string counts;
  for (const Origin origin : kOrigins) {
    int all = 0, agree = 0;
    for (const Comparison& c : study.page.comparisons) {
      if (c.origin != origin) continue;
      ++all;
      if (c.agrees()) ++agree;
    }
    if (all == 0) continue;
    counts += fmt::format("{}{}:[{},{}]", counts.empty() ? "" : ",", to_json(origin_name(origin)), agree, all);
  }
  return '{' + counts + '}';
}

/// The first chart of the first figure, for the index.
std::string picture_to_json(const StudyRecord& study) {
  if (study.page.figures.empty()) return "null";
  const Figure& figure = study.page.figures.front();
  std::vector<FigureCurve> wanted = figure.curves;
  if (wanted.empty()) {
    for (std::size_t k = 1; k < figure.columns.size(); ++k) {
      if (figure.columns[k].unit != figure.columns[1].unit) continue;
      wanted.push_back({figure.columns[k].name, "", figure.columns[0].name, figure.columns[k].name, "", "line"});
    }
  }
  const auto unit_of = [](const Figure& source, const std::string& name) {
    return std::ranges::find(source.columns, name, &FigureColumn::name)->unit;
  };
  std::string curves, axes;
  for (const FigureCurve& curve : wanted) {
    const auto source =
        curve.of.empty() ? study.page.figures.begin() : std::ranges::find(study.page.figures, curve.of, &Figure::name);
    const std::string own_axes = fmt::format("{}|{}|{}", curve.x == source->columns[0].name, unit_of(*source, curve.x),
                                             unit_of(*source, curve.y));
    if (!axes.empty() && axes != own_axes) continue;
    axes = own_axes;
    const std::vector<std::size_t> rows = pick_figure_rows(*source, kPictureRows);
    const auto numbers = [&](const std::string& name) {
      const auto column = std::ranges::find(source->columns, name, &FigureColumn::name);
      std::string text;
      for (const std::size_t i : rows) {
        const double value = column->values[i];
        text += text.empty() ? "" : ",";
        text += std::isfinite(value) ? fmt::format("{:.4g}", value) : "null";
      }
      return text;
    };
    curves += fmt::format("{}{{\"x\":[{}],\"y\":[{}],\"style\":{}}}", curves.empty() ? "" : ",", numbers(curve.x),
                          numbers(curve.y), to_json(curve.by.empty() ? curve.style : "points"));
  }
  return fmt::format("{{\"x_label\":{},\"curves\":[{}]}}", to_json(wanted.empty() ? "" : wanted.front().x), curves);
}

}  // namespace

std::string study_page_name(const StudyRecord& study) {
  return study.name + ".html";
}

std::string make_study_page(const GalleryRecord& gallery, const StudyRecord& study,
                            const std::filesystem::path& results) {
  const auto at = std::ranges::find(gallery.studies, study.name, &StudyRecord::name);
  const std::string back = at == gallery.studies.begin() ? "" : study_page_name(*std::prev(at));
  const std::string next = std::next(at) == gallery.studies.end() ? "" : study_page_name(*std::next(at));
  PageData data;
  const std::string figures = figures_to_json(study, data);
  data.set("gallery", to_json(gallery.name));
  data.set("title", to_json(study.title));
  data.set("source", to_json(study.source));
  data.set("made", to_json(describe_program() +
                           " Times are medians of the step alone on the machine that made this; those from elsewhere "
                           "are CPU times on another."));
  data.set("back", to_json(back));
  data.set("next", to_json(next));
  data.set("figures", figures);
  data.set("numbers", numbers_to_json(study));
  data.set("runs", runs_to_json(study));
  data.set("analyses", analyses_to_json(study));
  std::string elements =
      make_json_element("study", data.header()) + make_numbers_element("study-numbers", data.bytes());
  const std::vector<std::string> shown = shown_runs(study);
  for (const std::string& name : shown) {
    const Trajectory result(results / (name + ".h5"));
    const std::optional<std::string> moving =
        make_result_elements(result, kMotionBytes / static_cast<double>(shown.size()));
    if (!moving) throw InputError({result.file().name()}, "", "", "takes more than a page of a gallery has for a run");
    elements += *moving;
  }
  return fill_page(shown.empty() ? tables_template() : page_template(), elements);
}

std::string make_index_page(const std::vector<GalleryRecord>& galleries) {
  std::string entries;
  for (const GalleryRecord& gallery : galleries) {
    std::string studies;
    for (const StudyRecord& study : gallery.studies) {
      studies +=
          fmt::format("{}{{\"page\":{},\"title\":{},\"source\":{},\"counts\":{},\"picture\":{}}}",
                      studies.empty() ? "" : ",", to_json(gallery.name + '/' + study_page_name(study)),
                      to_json(study.title), to_json(study.source), counts_to_json(study), picture_to_json(study));
    }
    entries +=
        fmt::format("{}{{\"name\":{},\"source\":{},\"table\":{},\"studies\":[{}]}}", entries.empty() ? "" : ",",
                    to_json(gallery.name), to_json(gallery.source), to_json(gallery.name + "/table.csv"), studies);
  }
  const std::string index = fmt::format("{{\"made\":{},\"galleries\":[{}]}}", to_json(describe_program()), entries);
  return fill_page(tables_template(), make_json_element("index", index));
}

}  // namespace stickslip
