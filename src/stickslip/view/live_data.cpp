// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/live_data.h"

#include <fmt/format.h>

#include <utility>

namespace stickslip {

void LiveData::show(const PageData& beginning, ViewPhase phase) {
  PageData page = beginning;
  const std::lock_guard lock(mutex_);
  page.set("data_version", fmt::format("{}", ++version_));
  beginning_ = std::make_shared<const std::string>(pack(page));
  page_ = beginning;
  kept_.clear();
  kept_bytes_ = 0;
  stride_ = 1;
  rows_ = thinned_ = 0;
  last_.reset();
  progress_ = {};
  phase_ = phase;
  ++revision_;
}

void LiveData::set_phase(ViewPhase phase) {
  const std::lock_guard lock(mutex_);
  if (phase_ == phase) return;
  phase_ = phase;
  ++revision_;
}

void LiveData::set_message(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (message_ == message) return;
  message_ = message;
  ++revision_;
}

void LiveData::add(std::shared_ptr<const LiveFrame> frame, LiveProgress progress) {
  const std::lock_guard lock(mutex_);
  progress.left_out += thinned_;
  progress_ = std::move(progress);
  if (!frame->is_row || rows_++ % stride_ != 0) {
    if (frame->is_row) ++thinned_;
    last_ = std::move(frame);
    return;
  }
  last_.reset();
  kept_bytes_ += frame->bytes();
  kept_.push_back(std::move(frame));
  if (kept_bytes_ <= kMostBytes || kept_.size() < 2) return;
  // Every second goes; pages begin anew with what is left.
  stride_ *= 2;
  LiveFrames fewer;
  kept_bytes_ = 0;
  for (std::size_t i = 0; i < kept_.size(); i += 2) {
    kept_bytes_ += kept_[i]->bytes();
    fewer.push_back(kept_[i]);
  }
  thinned_ += static_cast<std::int64_t>(kept_.size() - fewer.size());
  if (fewer.back() != kept_.back()) last_ = kept_.back();
  kept_ = std::move(fewer);
  PageData page = page_;
  page.set("data_version", fmt::format("{}", ++version_));
  beginning_ = std::make_shared<const std::string>(pack(page));
}

LiveData::View LiveData::look(std::int64_t version, std::int64_t after, std::size_t most_bytes) const {
  const std::lock_guard lock(mutex_);
  View view{version_, revision_, phase_, message_, progress_, {}, after, false, false};
  if (version != version_) return view;
  std::size_t bytes = 0;
  // Those that are new stand at the end.
  std::size_t first = kept_.size();
  while (first > 0 && kept_[first - 1]->number > after) --first;
  for (std::size_t i = first; i < kept_.size() && !view.is_more; ++i) {
    if (bytes > most_bytes)
      view.is_more = true;
    else
      view.frames.push_back(kept_[i]);
    bytes += kept_[i]->bytes();
  }
  view.is_transient = !view.is_more && last_ && last_->number > after;
  if (view.is_transient) view.frames.push_back(last_);
  if (!view.frames.empty()) view.last = view.frames.back()->number;
  return view;
}

std::shared_ptr<const std::string> LiveData::beginning() const {
  const std::lock_guard lock(mutex_);
  return beginning_;
}

}  // namespace stickslip
