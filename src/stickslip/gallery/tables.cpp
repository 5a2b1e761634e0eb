// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/gallery/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/base/assert.h"
#include "stickslip/base/build_info.h"

namespace stickslip {
namespace {

/// A cell of a CSV file: in quotation marks, doubled where they are part of the text.
std::string quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

/// A cell of a Markdown table.
std::string escaped(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string describe_number(double x) {
  return std::isnan(x) ? "not reached" : fmt::format("{:.9g}", x);
}

std::string describe_difference(const Comparison& c) {
  return std::isnan(c.difference()) ? "-" : c.difference() == 0.0 ? "0" : fmt::format("{:.1e}", c.difference());
}

struct Count {
  int all = 0, agree = 0, explained = 0;
};

/// Whether it is no figure that was measured: nothing at all (0), or a yes (1, exactly and without a unit).
bool is_answer(const Comparison& c) {
  return c.value == 0.0 || (c.value == 1.0 && c.unit.empty() && c.tolerance == 0.0);
}

Count count(const GalleryRecord& gallery, Origin origin, bool answers) {
  Count n;
  for (const StudyRecord& study : gallery.studies) {
    for (const Comparison& c : study.page.comparisons) {
      if (c.origin != origin || is_answer(c) != answers) continue;
      ++n.all;
      if (c.agrees()) {
        ++n.agree;
      } else if (c.is_explained()) {
        ++n.explained;
      }
    }
  }
  return n;
}

/// "published: 30 numbers, 20 agree, 10 differ (0 without a known reason); 4 zeros and yes-or-no answers, 4 agree, ..."
std::string describe_count(const GalleryRecord& gallery, Origin origin) {
  const auto describe = [&](bool answers, const char* what) {
    const Count n = count(gallery, origin, answers);
    return fmt::format("{} {}, {} agree, {} differ ({} of them without a known reason)", n.all, what, n.agree,
                       n.all - n.agree, n.all - n.agree - n.explained);
  };
  const std::string numbers = fmt::format("{}: {}", origin_name(origin), describe(false, "numbers"));
  if (count(gallery, origin, true).all == 0) return numbers;
  return numbers + "; " + describe(true, "zeros and yes-or-no answers");
}

/// Runs that did not go as they should, a line each.
std::string describe_troubles(const GalleryRecord& gallery) {
  std::string text;
  for (const StudyRecord& study : gallery.studies) {
    for (const RunRecord& r : study.runs) {
      if (r.result.outcome == Outcome::failed) {
        text += fmt::format("{}: the step from t = {:.9g} s failed: {}\n", r.run.name, r.result.time, r.result.message);
      } else if (r.result.outcome == Outcome::stopped) {
        text += fmt::format("{}: stopped at t = {:.9g} s: {}\n", r.run.name, r.result.time, r.result.message);
      } else if (r.result.summary.inexact > 0) {
        text += fmt::format("{}: {} of {} steps stayed above the tolerance\n", r.run.name, r.result.summary.inexact,
                            r.result.summary.steps);
      } else if (r.result.outcome == Outcome::inexact) {
        text += fmt::format("{}: {}", r.run.name, describe_limits(r.result.summary.limits, 1));
      }
    }
  }
  return text;
}

/// Calls visit(comparison) in the order of the tables: by origin, then as they were added.
template <class Visit>
void for_each_comparison(const StudyRecord& study, Visit&& visit) {
  for (const Origin origin : kOrigins) {
    for (const Comparison& c : study.page.comparisons) {
      if (c.origin == origin) visit(c);
    }
  }
}

std::string runs_to_markdown(const StudyRecord& study) {
  if (study.runs.empty()) return "";
  std::string text =
      "| run | scheme | step [s] | steps | ended | iterations, mean (most) | fallback steps | inexact steps | "
      "worst residual [m/s] | deepest penetration [m] | joint drift [m], [rad] | us a step | elsewhere, us a step |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const RunRecord& r : study.runs) {
    const Summary& s = r.result.summary;
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {:.3f} ({}) | {} | {} | {:.1e} | {:.1e} | {:.1e}, {:.1e} | {:.2f} | {} |\n",
        r.run.name, r.scheme, r.step, s.steps, outcome_name(r.result.outcome), r.mean_iterations, r.max_iterations,
        s.fallbacks, s.inexact, s.residual.value, s.penetration.value, s.drift_position.value, s.drift_angle.value,
        r.microseconds_per_step, r.run.elsewhere);
  }
  return text;
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::inexact:
      return "inexact";
    case Outcome::failed:
      return "failed";
    case Outcome::stopped:
      return "stopped";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

std::string describe_reason(const Comparison& c) {
  if (c.agrees()) return "";
  if (std::isnan(c.ours)) return "the run ended before, or it did not happen";
  if (c.reason.empty()) return "not explained";
  if (c.is_explained()) return c.reason;
  const std::string bounds = -c.explained_from == c.explained_to
                                 ? fmt::format("more than the {:.3g}", c.explained_to)
                                 : fmt::format("not the {:.3g} to {:.3g}", c.explained_from, c.explained_to);
  return fmt::format("not explained: {} that this explains: {}", bounds, c.reason);
}

std::string figure_to_csv(const Figure& figure) {
  std::string text;
  for (const FigureColumn& column : figure.columns) {
    STICKSLIP_ASSERT(column.values.size() == figure.columns[0].values.size());
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ",", column.name, column.unit);
  }
  text += '\n';
  for (std::size_t i = 0; i < figure.columns[0].values.size(); ++i) {
    for (std::size_t k = 0; k < figure.columns.size(); ++k) {
      text += fmt::format("{}{}", k == 0 ? "" : ",", figure.columns[k].values[i]);
    }
    text += '\n';
  }
  return text;
}

std::string comparisons_to_csv(const GalleryRecord& gallery) {
  std::string text =
      "benchmark,quantity,unit,origin,expected,value,tolerance,ours,difference,agrees,explained_from,explained_to,"
      "reason\n";
  for (const StudyRecord& study : gallery.studies) {
    for_each_comparison(study, [&](const Comparison& c) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(study.title), quoted(c.quantity),
                      quoted(c.unit), origin_name(c.origin), c.expected, c.value, c.tolerance, c.ours, c.difference(),
                      c.agrees() ? 1 : 0, c.explained_from, c.explained_to, quoted(describe_reason(c)));
    });
  }
  return text;
}

std::string runs_to_csv(const GalleryRecord& gallery) {
  std::string text =
      "run,scheme,step [s],steps,outcome,mean iterations,most iterations,fallback steps,inexact steps,worst residual "
      "[m/s],deepest penetration [m],joint drift [m],joint drift [rad],median step [us],elsewhere [us]\n";
  for (const StudyRecord& study : gallery.studies) {
    for (const RunRecord& r : study.runs) {
      const Summary& s = r.result.summary;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{}\n", quoted(r.run.name), r.scheme, r.step,
                          s.steps, outcome_name(r.result.outcome), r.mean_iterations, r.max_iterations, s.fallbacks,
                          s.inexact, s.residual.value, s.penetration.value, s.drift_position.value, s.drift_angle.value,
                          r.microseconds_per_step, quoted(r.run.elsewhere));
    }
  }
  return text;
}

std::string to_markdown(const GalleryRecord& gallery) {
  std::string text = fmt::format("# Gallery: {}\n\n{}\n\nMade by stickslip {}, commit {}, {}.\n\n", gallery.name,
                                 gallery.source, version(), commit(), compiler());
  for (const Origin origin : kOrigins) text += fmt::format("- {}\n", describe_count(gallery, origin));
  text +=
      "\nA published number agrees where ours rounds to the digits that are printed; the tolerance of the others is in "
      "table.csv. Times are medians of the step alone on the machine that made this; those from elsewhere are CPU "
      "times "
      "on another.\n";
  if (const std::string troubles = describe_troubles(gallery); !troubles.empty()) {
    text += fmt::format("\nNot all runs went well:\n\n{}", troubles);
  }
  for (const StudyRecord& study : gallery.studies) {
    text += fmt::format("\n## {}\n\n{}\n\n", study.title, study.source);
    for (const Figure& figure : study.page.figures) text += fmt::format("- {}.csv: {}\n", figure.name, figure.caption);
    for (const AnalysisRecord& a : study.analyses) {
      text += fmt::format("- {}: every solution of {} states, {} problem\n", a.name, a.states, a.level);
    }
    text += fmt::format(
        "\n{}\n| quantity | unit | origin | expected | ours | difference | | reason |\n"
        "|---|---|---|---|---|---|---|---|\n",
        runs_to_markdown(study));
    for_each_comparison(study, [&](const Comparison& c) {
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", escaped(c.quantity), c.unit,
                          origin_name(c.origin), c.expected, describe_number(c.ours), describe_difference(c),
                          c.agrees() ? "agrees" : "differs", escaped(describe_reason(c)));
    });
  }
  return text;
}

std::string to_text(const GalleryRecord& gallery) {
  std::string text = fmt::format("{}: {}\n", gallery.name, gallery.source);
  for (const StudyRecord& study : gallery.studies) {
    text += fmt::format("\n{} ({})\n", study.title, study.name);
    for (const RunRecord& r : study.runs) {
      text += fmt::format("  {}: {}, {} steps, {:.3g} iterations a step, {:.3g} us a step\n", r.run.name,
                          outcome_name(r.result.outcome), r.result.summary.steps, r.mean_iterations,
                          r.microseconds_per_step);
    }
    for (const AnalysisRecord& a : study.analyses) {
      text += fmt::format("  {}: every solution of {} states, {} problem\n", a.name, a.states, a.level);
    }
    std::size_t width = 0;
    for (const Comparison& c : study.page.comparisons) width = std::max(width, c.quantity.size() + c.unit.size());
    for_each_comparison(study, [&](const Comparison& c) {
      const std::string quantity = c.unit.empty() ? c.quantity : fmt::format("{} [{}]", c.quantity, c.unit);
      text +=
          fmt::format("  {:<{}}  {:<9} {:>15} {:>15} {:>9}  {}\n", quantity, width + 3, origin_name(c.origin),
                      c.expected, describe_number(c.ours), describe_difference(c), c.agrees() ? "agrees" : "differs");
      if (!c.agrees()) text += fmt::format("      {}\n", describe_reason(c));
    });
  }
  text += '\n';
  for (const Origin origin : kOrigins) text += describe_count(gallery, origin) + '\n';
  return text + describe_troubles(gallery);
}

int GalleryRecord::count_unexplained() const {
  int n = 0;
  for (const Origin origin : kOrigins) {
    for (const bool answers : {false, true}) {
      const Count of_origin = count(*this, origin, answers);
      n += of_origin.all - of_origin.agree - of_origin.explained;
    }
  }
  return n;
}

}  // namespace stickslip
