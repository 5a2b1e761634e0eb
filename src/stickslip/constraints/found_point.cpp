// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/constraints/found_point.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "stickslip/base/make_room.h"

namespace stickslip {
namespace {

double to_number(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

double to_number(int high, int low) {
  return to_number(static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 |
                   static_cast<std::uint32_t>(low));
}

int high_of(double number) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(number) >> 32);
}

int low_of(double number) {
  return static_cast<int>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(number)));
}

/// Calls visit(numbers, n) for all numbers of the features; matrices where there is an ellipsoid.
template <class Features, class Visit>
void visit_numbers(Features& features, const Visit& visit) {
  auto& surface = features.surface;
  auto& ball = features.ball;
  visit(surface.center.data(), 3);
  visit(surface.axis.data(), 3);
  visit(&surface.radius, 1);
  visit(&surface.half_length, 1);
  visit(ball.center.data(), 3);
  visit(&ball.radius, 1);
  visit(&ball.parameter, 1);
  visit(ball.axis.data(), 3);
  if (surface.kind == SurfaceKind::ellipsoid) visit(surface.half_axes.data(), 9);
  if (ball.is_ellipsoid) visit(ball.half_axes.data(), 9);
}

}  // namespace

void put_found(const FoundPoint& found, std::vector<double>& numbers) {
  constexpr std::size_t kMost = 5 + 16 + 18;
  const ContactPoint& point = found.point;
  const ShapeSurface& surface = found.features.surface;
  const ShapeBall& ball = found.features.ball;
  const int flags = int{point.flipped} + 2 * int{point.apart} + 4 * int{ball.is_ellipsoid};
  make_room(numbers, numbers.size() + kMost);
  for (const double number : {to_number(point.id.pair), to_number(point.id.feature), to_number(point.pair, flags),
                              to_number(surface.shape, ball.shape), to_number(0, static_cast<int>(surface.kind))}) {
    numbers.push_back(number);
  }
  visit_numbers(found.features, [&](const double* from, int n) { numbers.insert(numbers.end(), from, from + n); });
}

FoundPoint take_found(const System& system, const double*& next) {
  FoundPoint found;
  ContactPoint& point = found.point;
  ShapeSurface& surface = found.features.surface;
  ShapeBall& ball = found.features.ball;
  point.id = {std::bit_cast<std::uint64_t>(next[0]), std::bit_cast<std::uint64_t>(next[1])};
  point.pair = high_of(next[2]);
  const int flags = low_of(next[2]);
  point.flipped = (flags & 1) != 0;
  point.apart = (flags & 2) != 0;
  ball.is_ellipsoid = (flags & 4) != 0;
  surface.shape = high_of(next[3]);
  surface.body = system.shapes()[surface.shape].body;
  ball.shape = low_of(next[3]);
  ball.body = ball.place = system.shapes()[ball.shape].body;
  surface.kind = static_cast<SurfaceKind>(low_of(next[4]));
  next += 5;
  visit_numbers(found.features, [&](double* to, int n) {
    std::copy_n(next, n, to);
    next += n;
  });
  return found;
}

}  // namespace stickslip
