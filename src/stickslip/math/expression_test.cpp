// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/math/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace stickslip {
namespace {

constexpr double kPi = std::numbers::pi;

double value_of(const std::string& text, double t = 0.0) {
  return Expression::parse(text).value(t);
}

double derivative_of(const std::string& text, double t) {
  return Expression::parse(text).derivative().value(t);
}

double second_derivative_of(const std::string& text, double t) {
  return Expression::parse(text).derivative().derivative().value(t);
}

TEST(Expression, ReadsNumbersAndConstants) {
  EXPECT_EQ(value_of("3"), 3.0);
  EXPECT_EQ(value_of(".5"), 0.5);
  EXPECT_EQ(value_of("5."), 5.0);
  EXPECT_EQ(value_of(" 1e-3 "), 1e-3);
  EXPECT_EQ(value_of("2.5E+2"), 250.0);
  EXPECT_EQ(value_of("pi"), kPi);
  EXPECT_EQ(value_of("t", 7.0), 7.0);
  EXPECT_EQ(Expression().value(1.0), 0.0);
  EXPECT_EQ(Expression(4.0).value(1.0), 4.0);
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value_of("1 + 2*3"), 7.0);
  EXPECT_EQ(value_of("(1 + 2)*3"), 9.0);
  EXPECT_EQ(value_of("7 - 4 - 2"), 1.0);
  EXPECT_EQ(value_of("12/3/2"), 2.0);
  EXPECT_EQ(value_of("-2^2"), -4.0);
  EXPECT_EQ(value_of("2^-1"), 0.5);
  EXPECT_EQ(value_of("2^3^2"), 512.0);
  EXPECT_EQ(value_of("--3"), 3.0);
  EXPECT_EQ(value_of("2*-3"), -6.0);
  EXPECT_EQ(value_of("1 + 1 < 3"), 1.0);
  EXPECT_EQ(value_of("1 < 2 ? 3 : 4"), 3.0);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3.0);
  EXPECT_EQ(value_of("1 ? 0 ? 1 : 2 : 3"), 2.0);
}

TEST(Expression, Compares) {
  for (const double t : {-1.0, 0.0, 1.0}) {
    EXPECT_EQ(value_of("t < 0", t), t < 0 ? 1.0 : 0.0);
    EXPECT_EQ(value_of("t <= 0", t), t <= 0 ? 1.0 : 0.0);
    EXPECT_EQ(value_of("t > 0", t), t > 0 ? 1.0 : 0.0);
    EXPECT_EQ(value_of("t >= 0", t), t >= 0 ? 1.0 : 0.0);
    EXPECT_EQ(value_of("t == 0", t), t == 0 ? 1.0 : 0.0);
    EXPECT_EQ(value_of("t != 0", t), t != 0 ? 1.0 : 0.0);
  }
}

TEST(Expression, KnowsTheFunctions) {
  const double t = 0.3;
  EXPECT_EQ(value_of("sin(t)", t), std::sin(t));
  EXPECT_EQ(value_of("cos(t)", t), std::cos(t));
  EXPECT_EQ(value_of("tan(t)", t), std::tan(t));
  EXPECT_EQ(value_of("asin(t)", t), std::asin(t));
  EXPECT_EQ(value_of("acos(t)", t), std::acos(t));
  EXPECT_EQ(value_of("atan(t)", t), std::atan(t));
  EXPECT_EQ(value_of("atan2(t, -1)", t), std::atan2(t, -1.0));
  EXPECT_EQ(value_of("sinh(t)", t), std::sinh(t));
  EXPECT_EQ(value_of("cosh(t)", t), std::cosh(t));
  EXPECT_EQ(value_of("tanh(t)", t), std::tanh(t));
  EXPECT_EQ(value_of("exp(t)", t), std::exp(t));
  EXPECT_EQ(value_of("log(t)", t), std::log(t));
  EXPECT_EQ(value_of("sqrt(t)", t), std::sqrt(t));
  EXPECT_EQ(value_of("abs(-t)", t), t);
  EXPECT_EQ(value_of("sign(-t)", t), -1.0);
  EXPECT_EQ(value_of("sign(0*t)", t), 0.0);
  EXPECT_EQ(value_of("min(3, t, 2)", t), t);
  EXPECT_EQ(value_of("max(3, t, 2)", t), 3.0);
}

TEST(Expression, TakesParametersAsConstants) {
  const Expression::Parameters parameters = {{"l", 0.5}, {"omega_0", 2.0}};
  const Expression expression = Expression::parse("l*sin(omega_0*t)", parameters);
  EXPECT_EQ(expression.value(0.7), 0.5 * std::sin(2.0 * 0.7));
  EXPECT_FALSE(expression.is_constant());
  EXPECT_TRUE(Expression::parse("l*omega_0", parameters).is_constant());
  EXPECT_TRUE(Expression::is_reserved("pi"));
  EXPECT_TRUE(Expression::is_reserved("atan2"));
  EXPECT_FALSE(Expression::is_reserved("l"));
}

TEST(Expression, EvaluatesOnlyTheChosenBranch) {
  const Expression expression = Expression::parse("t < 1 ? 1 - t : log(t - 1)");
  EXPECT_EQ(expression.value(0.5), 0.5);
  EXPECT_EQ(expression.derivative().value(0.5), -1.0);
  EXPECT_DOUBLE_EQ(expression.derivative().value(3.0), 0.5);
}

struct KnownDerivative {
  const char* text;
  double first;   // at t = 0.4
  double second;  // at t = 0.4
};

TEST(Expression, HasTheKnownDerivatives) {
  const double t = 0.4;
  const double w = 2.0 * kPi;
  const double c = std::cos(t);
  const KnownDerivative cases[] = {
      {"5", 0.0, 0.0},
      {"t", 1.0, 0.0},
      {"3*t^2 - t/4 + 1", 6 * t - 0.25, 6.0},
      {"(t - 1)^3", 3 * (t - 1) * (t - 1), 6 * (t - 1)},
      {"0.1*sin(2*pi*t)", 0.1 * w * std::cos(w * t), -0.1 * w * w * std::sin(w * t)},
      {"cos(t)", -std::sin(t), -c},
      {"tan(t)", 1 / (c * c), 2 * std::tan(t) / (c * c)},
      {"exp(-3*t)", -3 * std::exp(-3 * t), 9 * std::exp(-3 * t)},
      {"log(t)", 1 / t, -1 / (t * t)},
      {"sqrt(t)", 0.5 / std::sqrt(t), -0.25 / (t * std::sqrt(t))},
      {"atan(t)", 1 / (1 + t * t), -2 * t / ((1 + t * t) * (1 + t * t))},
      {"asin(t)", 1 / std::sqrt(1 - t * t), t / std::pow(1 - t * t, 1.5)},
      {"acos(t)", -1 / std::sqrt(1 - t * t), -t / std::pow(1 - t * t, 1.5)},
      {"atan2(sin(t), cos(t))", 1.0, 0.0},
      {"sinh(t)", std::cosh(t), std::sinh(t)},
      {"cosh(t)", std::sinh(t), std::cosh(t)},
      {"tanh(t)", 1 - std::tanh(t) * std::tanh(t), -2 * std::tanh(t) * (1 - std::tanh(t) * std::tanh(t))},
      {"2^t", std::log(2.0) * std::exp2(t), std::log(2.0) * std::log(2.0) * std::exp2(t)},
      {"t^t", std::pow(t, t) * (std::log(t) + 1), std::pow(t, t) * ((std::log(t) + 1) * (std::log(t) + 1) + 1 / t)},
      {"1/t", -1 / (t * t), 2 / (t * t * t)},
  };
  // Both sides round a handful of operations of size O(10).
  constexpr double kFewOperations = 1e-13;
  for (const KnownDerivative& known : cases) {
    EXPECT_NEAR(derivative_of(known.text, t), known.first, kFewOperations * (1 + std::abs(known.first))) << known.text;
    EXPECT_NEAR(second_derivative_of(known.text, t), known.second, kFewOperations * (1 + std::abs(known.second)))
        << known.text;
  }
}

TEST(Expression, TakesTheBranchsDerivativeAtKinks) {
  EXPECT_EQ(derivative_of("abs(t)", -2.0), -1.0);
  EXPECT_EQ(derivative_of("abs(t)", 0.0), 0.0);
  EXPECT_EQ(derivative_of("abs(t)", 2.0), 1.0);
  EXPECT_EQ(second_derivative_of("abs(t)", 0.0), 0.0);
  EXPECT_EQ(derivative_of("sign(t)", 0.0), 0.0);
  EXPECT_EQ(derivative_of("min(t, 2*t)", 0.0), 1.0);  // the first of equals
  EXPECT_EQ(derivative_of("max(2*t, t)", 0.0), 2.0);
  EXPECT_EQ(derivative_of("min(t, 2*t)", -1.0), 2.0);
  EXPECT_EQ(derivative_of("max(2*t, t)", -1.0), 1.0);
  EXPECT_EQ(derivative_of("t < 1 ? t : 3*t", 1.0), 3.0);
  EXPECT_EQ(derivative_of("(t < 1)*t", 1.0), 0.0);
  EXPECT_EQ(derivative_of("(t < 1)*t", 0.9), 1.0);
  EXPECT_TRUE(std::isinf(derivative_of("sqrt(t)", 0.0)));
}

TEST(Expression, SimplifiesDerivatives) {
  EXPECT_EQ(Expression::parse("3*t").derivative(), Expression(3.0));
  EXPECT_EQ(Expression::parse("t^2").derivative(), Expression::parse("2*t"));
  EXPECT_EQ(Expression::parse("sin(t)").derivative(), Expression::parse("cos(t)"));
  EXPECT_EQ(Expression::parse("cos(t)").derivative(), Expression::parse("-sin(t)"));
  EXPECT_TRUE(Expression::parse("t*0 + 1").is_constant());
  EXPECT_NE(Expression::parse("sin(t)"), Expression::parse("cos(t)"));
}

// Builds random smooth expressions and compares both derivatives with central differences.
class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed) : random_(seed) {}

  std::string make(int depth) {
    if (depth == 0) return pick({"t", "0.7", "1.3", "(t + 0.2)"});
    const std::string a = make(depth - 1);
    switch (std::uniform_int_distribution<int>(0, 10)(random_)) {
      case 0:
        return "sin(" + a + ")";
      case 1:
        return "exp(-(" + a + ")^2)";
      case 2:
        return "log(2 + (" + a + ")^2)";
      case 3:
        return "sqrt(1 + (" + a + ")^2)";
      case 4:
        return "atan2(" + a + ", 2 + cos(" + make(depth - 1) + "))";
      case 5:
        return "tanh(" + a + ")";
      case 6:
        return "(" + a + ")*(" + make(depth - 1) + ")";
      case 7:
        return "(" + a + ")/(2 + sin(" + make(depth - 1) + "))";
      case 8:
        return "(2 + cos(" + a + "))^(sin(" + make(depth - 1) + "))";
      case 9:
        return "(" + a + ") - (" + make(depth - 1) + ")";
      default:
        return "max(" + a + ", -100, min(100, " + make(depth - 1) + ") - 200)";
    }
  }

 private:
  std::string pick(const std::vector<std::string>& choices) {
    return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random_)];
  }

  std::mt19937 random_;
};

TEST(Expression, AgreesWithDifferences) {
  // Central differences of step h err by h^2/6 f''' + eps |f| / h; h = 1e-5 leaves about 1e-10 of either
  // for f''' of order 1, and these functions reach 1e3.
  constexpr double kStep = 1e-5;
  constexpr double kTolerance = 1e-6;
  int compared = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::string text = RandomExpression(seed).make(3);
    const Expression f = Expression::parse(text);
    const Expression df = f.derivative();
    const Expression ddf = df.derivative();
    for (const double t : {-0.9, 0.15, 0.8}) {
      const double by_difference = (f.value(t + kStep) - f.value(t - kStep)) / (2 * kStep);
      const double second = (df.value(t + kStep) - df.value(t - kStep)) / (2 * kStep);
      EXPECT_NEAR(df.value(t), by_difference, kTolerance * (1 + std::abs(by_difference))) << text << " at " << t;
      EXPECT_NEAR(ddf.value(t), second, kTolerance * (1 + std::abs(second))) << text << " at " << t;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 600);
}

struct BadExpression {
  const char* text;
  int column;
  const char* fragment;
};

TEST(Expression, SaysWhereAndWhatWasExpected) {
  const BadExpression cases[] = {
      {"", 1, "expected a number, a name or '(', found the end"},
      {"1 +", 4, "found the end"},
      {"1 + * 2", 5, "found '*'"},
      {"2pi", 2, "expected an operator or the end, found 'p'"},
      {"(1 + 2", 7, "expected ')' or an operator, found the end"},
      {"1)", 2, "expected an operator or the end"},
      {"sn(t)", 1, "unknown name 'sn'; did you mean 'sin'?"},
      {"3*length", 3, "unknown name 'length'"},
      {"sin t", 5, "expected '(' after sin"},
      {"atan2(1)", 8, "another argument of atan2"},
      {"sin(1, 2)", 6, "expected ')' after the last argument of sin"},
      {"0 < t < 1", 7, "do not chain"},
      {"t ? 1", 6, "expected ':'"},
      {"1 = 2", 3, "found '='"},
      {"1e999", 1, "that a double can hold"},
      {".", 1, "expected a number"},
      {"t\xc3\xa9", 2, "no place in expressions"},
      {"inf", 1, "unknown name 'inf'"},
      {"nan", 1, "unknown name 'nan'"},
  };
  for (const BadExpression& bad : cases) {
    try {
      Expression::parse(bad.text);
      ADD_FAILURE() << bad.text;
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.column(), bad.column) << bad.text << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(bad.fragment), std::string::npos) << bad.text << ": " << error.what();
    }
  }
}

TEST(Expression, RefusesHostileInput) {
  const auto repeat = [](const std::string& part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  EXPECT_THROW(Expression::parse(repeat("(", 4000)), ExpressionError);
  EXPECT_THROW(Expression::parse(repeat("-", 4000) + "1"), ExpressionError);
  EXPECT_THROW(Expression::parse(repeat("2^", 2000) + "t"), ExpressionError);
  EXPECT_THROW(Expression::parse(repeat("t?t:", 1000) + "t"), ExpressionError);
  EXPECT_THROW(Expression::parse(repeat("t+", 1000) + "t"), ExpressionError);
  EXPECT_THROW(Expression::parse(repeat(" ", 5000) + "t"), ExpressionError);
}

TEST(Expression, BoundsTheCostOfDerivatives) {
  // A long product: each derivative multiplies the work by the number of factors.
  std::string text = "sin(t)";
  for (int i = 0; i < 60; ++i) text += "*cos(t + " + std::to_string(i) + ")";
  const Expression product = Expression::parse(text);
  const Expression first = product.derivative();
  EXPECT_TRUE(std::isfinite(first.value(0.1)));
  EXPECT_THROW(first.derivative().derivative(), ExpressionError);
}

TEST(Expression, MeetsItsLimitsWhenDifferentiatedAgainAndAgain) {
  std::string text = "t";
  for (int i = 0; i < Expression::kMaxNesting / 4 - 1; ++i) text = "sin(1 + (" + text + ")^1.5)";
  Expression expression = Expression::parse(text);
  try {
    for (int order = 0; order < 20; ++order) {
      expression = expression.derivative();
      EXPECT_TRUE(std::isfinite(expression.value(0.3)));
    }
    ADD_FAILURE() << "no limit was met";
  } catch (const ExpressionError&) {
  }
}

}  // namespace
}  // namespace stickslip
