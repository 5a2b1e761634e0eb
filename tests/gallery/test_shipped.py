# SPDX-License-Identifier: BSD-3-Clause
"""The galleries that ship, study by study: what they hold agrees, or it is said why not."""
import math
import os
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import GALLERIES, ROOT, FolderCase, run, shipped

from stickslip_gallery.reader import gallery_names, load_gallery, parse_study
from stickslip_gallery.study import Gallery

# How many numbers agree at least: all but those that reasons tell of.
STUDIES = {
    "capobianco/10_1_bouncing_ball": 47,
    "capobianco/10_2_ball_in_corner": 32,
    "capobianco/10_3_ball_in_cylinder": 29,
    "capobianco/10_4_sliding_rod": 25,
    "capobianco/10_5_hopper": 39,
    "capobianco/10_6_tippe_top": 31,
    "cases/machines": 9,
    "cases/rest": 14,
    "cases/sliding_box": 9,
    "kikuuwe-brogliato/3_baumgarte": 2,
    "kikuuwe-brogliato/4_5_inclusions": 15,
    "kikuuwe-brogliato/5_1_penalty": 5,
    "kikuuwe-brogliato/5_1_planar_friction": 12,
    "kikuuwe-brogliato/5_2_restitution": 16,
    "kikuuwe-brogliato/5_3_painleve": 56,
    "kikuuwe-brogliato/5_sphere": 5,
    "negrut/3_1_lift_off": 73,
    "negrut/3_2_box": 10,
    "negrut/3_3_stabilisation": 30,
    "trinkle/2_joint_friction": 40,
    "trinkle/2_rolling_to_sliding": 12,
    "trinkle/4_1_sphere": 24,
    "trinkle/4_2_facets": 35,
}
# These take seconds each: scripts/sweep runs them.
SLOW = ("capobianco/10_5_hopper", "capobianco/10_6_tippe_top", "kikuuwe-brogliato/5_2_restitution",
        "kikuuwe-brogliato/5_3_painleve")


class TestShipped(FolderCase):
    def check_study(self, name: str, least: int) -> str:
        """What is wrong with a study; empty where nothing is."""
        gallery, _, study = name.partition("/")
        record = run(shipped(gallery, study), self.folder / name)
        comparisons = record.studies[0].page.comparisons
        faults = [f"{r.run.name} {r.outcome}" for r in record.studies[0].runs if r.status != 0]
        for c in comparisons:
            is_right = c.agrees or (c.is_explained and c.origin != "analytic")
            if not is_right or math.isnan(c.ours):
                faults.append(f"{c.quantity}: {c.ours}, not {c.value}")
        agree = sum(c.agrees for c in comparisons)
        if agree < least:
            faults.append(f"{agree} agree, not {least}")
        return "; ".join(faults)

    def check_studies(self, names: list[str]) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, faults in zip(names, pool.map(self.check_study, names, [STUDIES[name] for name in names])):
                with self.subTest(name):
                    self.assertEqual(faults, "")

    def test_agree_or_have_a_reason(self) -> None:
        self.check_studies([name for name in STUDIES if name not in SLOW])

    @unittest.skipUnless("STICKSLIP_SLOW" in os.environ, "by scripts/sweep")
    def test_slow_ones_agree_or_have_a_reason(self) -> None:
        self.check_studies(list(SLOW))

    def test_are_all_in_the_tests(self) -> None:
        found = [f"{name}/{study.name}" for name in gallery_names(GALLERIES)
                 for study in load_gallery(GALLERIES, name).studies]
        self.assertEqual(found, list(STUDIES))

    def test_the_documents_study_runs(self) -> None:
        found = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"), re.DOTALL)
        assert found is not None
        study = parse_study(found[1], ROOT / "docs" / "gallery.md")
        comparisons = run(Gallery("own", "of the page", [study]), self.folder).studies[0].page.comparisons
        self.assertEqual([c.agrees for c in comparisons], [True, True])


if __name__ == "__main__":
    unittest.main()
