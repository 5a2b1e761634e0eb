// SPDX-License-Identifier: BSD-3-Clause
#include "stickslip/view/live_frame.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace stickslip {

std::size_t LiveFrame::bytes() const {
  std::size_t sum = sizeof(LiveFrame);
  for (const LiveArray& array : arrays) {
    sum += sizeof(LiveArray) + std::visit([](const auto& n) { return n.size() * sizeof(n[0]); }, array.numbers);
  }
  return sum;
}

PageData join_frames(const LiveFrames& frames) {
  PageData data;
  if (frames.empty()) return data;
  for (std::size_t k = 0; k < frames[0]->arrays.size(); ++k) {
    const std::string& name = frames[0]->arrays[k].name;
    std::visit(
        [&](const auto& first) {
          std::decay_t<decltype(first)> all;
          for (const auto& frame : frames) {
            const auto& part = std::get<std::decay_t<decltype(first)>>(frame->arrays[k].numbers);
            all.insert(all.end(), part.begin(), part.end());
          }
          if (name == "contact_offset") {
            all.insert(all.begin(), 0);
            for (std::size_t i = 1; i < all.size(); ++i) all[i] += all[i - 1];
          }
          data.add(name, std::span(std::as_const(all)));
        },
        frames[0]->arrays[k].numbers);
  }
  return data;
}

std::string pack(const PageData& data) {
  constexpr std::size_t kAlignment = 8;  // [bytes] of the widest number
  constexpr std::size_t kLength = 4;     // [bytes] of the header's length
  std::string header = data.header();
  const std::size_t end = (kLength + header.size() + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(end - kLength, ' ');
  const auto length = static_cast<std::uint32_t>(header.size());
  std::string packed(end + data.bytes().size(), '\0');
  std::memcpy(packed.data(), &length, kLength);
  std::memcpy(packed.data() + kLength, header.data(), header.size());
  if (!data.bytes().empty()) std::memcpy(packed.data() + end, data.bytes().data(), data.bytes().size());
  return packed;
}

}  // namespace stickslip
