# SPDX-License-Identifier: BSD-3-Clause
"""The program that `stickslip gallery` starts."""
import os
import signal
import sys
from types import FrameType


def leave(number: int, frame: FrameType | None) -> None:
    """While numpy and h5py are imported there is nothing to keep."""
    os.write(2, b"interrupted\n")
    os._exit(130)


for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, leave)

from stickslip_gallery import command  # noqa: E402

sys.exit(command.main(sys.argv[1:]))
