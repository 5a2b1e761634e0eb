// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>

namespace stickslip {

/// An optional value in a place of its own: where it is absent it takes the room of a pointer. For what is large and
/// few things of many have.
template <class T>
class Aside {
 public:
  Aside() = default;
  Aside(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)
  Aside(const Aside& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Aside(Aside&& other) noexcept = default;
  Aside& operator=(Aside other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Aside() = default;

  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return *value_;
  }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Aside& other) const {
    return has_value() == other.has_value() && (!has_value() || *value_ == *other.value_);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace stickslip
