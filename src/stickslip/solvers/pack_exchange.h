// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "stickslip/solvers/contact_packs.h"

namespace stickslip {

/// What ranks that share packs tell each other. Nothing where they are not shared.
///
/// In a sweep the rank that changed a body's record last sends it to the one that changes it next, after the batch in
/// which it changed: so bodies of one rank alone are never sent, and records are overwritten, not summed, which leaves
/// the bits of one rank. What all ranks do alike (batches in order, singles) each of them changes. The rank that
/// changes a body last in a sweep owns it: it adds the momentum. Lists of what is sent are made once, by build().
class PackExchange {
 public:
  void build(const ContactPacks& packs);

  /// After a batch of a sweep or of a product J^T p.
  void after_batch(int batch, std::vector<BodyVelocity>& velocities) { exchange(batch, velocities); }
  /// After owners have added the momentum: whoever changes a body first in the next sweep has it.
  void after_momentum(std::vector<BodyVelocity>& velocities) { exchange(n_batches_, velocities); }
  /// Before all look at the velocities of owners.
  void before_judgement(std::vector<BodyVelocity>& velocities) { exchange(n_batches_ + 1, velocities); }

  /// Of the blocks of all batches: each rank knows those of its own, and then all.
  void gather(std::vector<std::array<double, 3>>& sums);
  /// Of all packs, likewise.
  void gather(std::vector<PackVector>& percussions);

  /// Records that follow each other.
  struct Range {
    int first, n;
  };
  /// Those of bodies that this rank owns, and of empty lanes.
  std::span<const Range> owned() const { return owned_; }
  /// The records that a sweep of this rank receives. [-]
  std::size_t n_received() const { return receives_.records.size(); }

 private:
  /// The ranks that change a body's record in a sweep.
  struct Use {
    int first, last;  // ranks
    int stage;        // after which the last one has changed it
  };
  struct Message {
    int stage, from, to, record;
  };
  /// What goes one way, stage by stage, in each rank by rank.
  struct Lists {
    std::vector<int> records;
    std::vector<std::size_t> begins;       // (stages + 1) among the records
    std::vector<std::size_t> rank_begins;  // (stages, ranks + 1) [numbers] from the stage's begin on
    std::vector<double> numbers;           // as they are sent
  };

  void use(int record, int rank, int stage);
  void close();
  void add_message(int stage, int from, int to, int record);
  void add_judgement();
  void fill(bool is_sent, Lists& lists);
  void find_owned();
  void exchange(int stage, std::vector<BodyVelocity>& velocities);
  template <class T>
  void gather_blocks(bool by_packs, std::vector<T>& values);

  const ContactPacks* packs_ = nullptr;
  Ranks* ranks_ = nullptr;
  int n_batches_ = 0;
  std::vector<Use> uses_;          // (records)
  std::vector<Message> messages_;  // of all ranks
  Lists sends_, receives_;
  std::vector<Range> owned_;
  std::vector<double> gathered_;
  std::vector<std::size_t> begins_;  // (ranks + 1) of gathered_
};

}  // namespace stickslip
