# SPDX-License-Identifier: BSD-3-Clause
"""`stickslip report --video`: what it asks the browser and ffmpeg for, and what is said where they are missing."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["STICKSLIP_PROGRAM"]

# A browser that knows the commands: each picture is the number of those before it.
BROWSER = f"""#!{sys.executable}
import base64, json, os
drawn = 0
pending = b""
while more := os.read(3, 65536):
    pending += more
    while b"\\0" in pending:
        text, _, pending = pending.partition(b"\\0")
        call = json.loads(text)
        method, params = call["method"], call["params"]
        result = {{"targetId": "t", "sessionId": "s"}}
        if method == "Runtime.evaluate":
            with open(os.environ["SAID"], "a") as said:
                said.write(params["expression"] + "\\n")
            result = {{"result": {{"type": "boolean", "value": "no-webgl" not in params["expression"]}}}}
        if method == "Page.captureScreenshot":
            drawn += 1
            result = {{"data": base64.b64encode(b"picture %d\\n" % drawn).decode()}}
        event = json.dumps({{"method": "Page.event", "params": {{}}}}).encode()
        reply = json.dumps({{"id": call["id"], "result": result}}).encode()
        os.write(4, event + b"\\0" + reply[:10])
        os.write(4, reply[10:] + b"\\0")
"""
# An encoder that writes down what it is given.
FFMPEG = """#!/bin/sh
for last; do :; done
cat > "$last"
"""


class TestFilm(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="stickslip-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.said = self.folder / "said"
        self.environment = os.environ | {"STICKSLIP_BROWSER": self.make("browser", BROWSER),
                                         "STICKSLIP_FFMPEG": self.make("ffmpeg", FFMPEG), "SAID": str(self.said)}
        scene = ROOT / "scenes" / "papers" / "negrut" / "bowling_ball.toml"
        subprocess.run([PROGRAM, "run", scene, "-o", self.folder / "ball.h5", "--quiet"], check=True)

    def make(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def call(self, film: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([PROGRAM, "report", "ball.h5", "--video", film, *arguments], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment | environment, check=False)

    def test_each_instant_is_drawn_and_encoded(self) -> None:
        # 0.6 s of motion at full speed: frames every 0.04 s.
        ended = self.call("ball.webm", "--speed", "1")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr),
                         (0, "ball.webm\n", ""))
        pictures = (self.folder / "ball.webm").read_text().splitlines()
        self.assertEqual(pictures, [f"picture {k}" for k in range(1, 17)])
        calls = [line for line in self.said.read_text().splitlines() if "set_time" in line]
        instants = [float(line.split("(")[1].split(")")[0]) for line in calls]
        self.assertEqual(len(instants), 16)
        for k, instant in enumerate(instants):
            self.assertAlmostEqual(instant, 0.04 * k, delta=1e-12)
        # By itself it takes 4 s: 101 frames.
        self.assertEqual(self.call("slow.gif", "--quiet").stdout, "")
        self.assertEqual(len((self.folder / "slow.gif").read_text().splitlines()), 101)

    def test_what_is_missing_is_said_and_how_to_install_it(self) -> None:
        nowhere = "/none/program"
        install = "sudo apt-get install --no-install-recommends"
        cases = {
            f"needs a browser (Chromium) and ffmpeg; to install them: {install} chromium-headless-shell ffmpeg":
                self.call("a.mp4", STICKSLIP_BROWSER=nowhere, STICKSLIP_FFMPEG=nowhere),
            f"needs ffmpeg; to install it: {install} ffmpeg (": self.call("a.mp4", STICKSLIP_FFMPEG=nowhere),
            f"needs a browser (Chromium); to install it: {install} chromium-headless-shell (":
                self.call("a.mp4", STICKSLIP_BROWSER=nowhere),
            "--video: a.avi: a file *.mp4, *.webm or *.gif": self.call("a.avi"),
            "--video: the browser": self.call("a.mp4", STICKSLIP_BROWSER="/bin/true"),  # ends without a word
            "--speed 1e-12: 1.5e+13 frames, of which a film has at most 1000000":
                self.call("a.mp4", "--speed", "1e-12"),
            "a.mp4: ffmpeg did not make it": self.call("a.mp4", STICKSLIP_FFMPEG="/bin/false"),
            "--video: needs Python 3.11 or later, which /none/program is not; to install: sudo apt-get install python3":
                self.call("a.mp4", STICKSLIP_PYTHON=nowhere),
        }
        for message, ended in cases.items():
            with self.subTest(message):
                self.assertEqual(ended.returncode, 2)
                self.assertIn(message, ended.stderr)
        self.assertEqual(sorted(self.folder.glob("*a.*")), [])

    def test_other_files_stay(self) -> None:
        (self.folder / "notes.mp4").write_text("mine")
        ended = self.call("notes.mp4")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("notes.mp4: exists: --force writes over it", ended.stderr)
        self.assertIn("a result to read", self.call("ball.h5", "--force").stderr)
        (self.folder / "broken.h5").write_text("no result")
        ended = subprocess.run([PROGRAM, "report", "broken.h5", "--video", "b.mp4"], cwd=self.folder, text=True,
                               capture_output=True, env=self.environment, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("broken.h5", ended.stderr)

    def test_ends_at_once_where_it_is_interrupted(self) -> None:
        silent = self.make("silent", "#!/bin/sh\nexec sleep 60\n")
        with subprocess.Popen([PROGRAM, "report", "ball.h5", "--video", "b.mp4"], cwd=self.folder, text=True,
                              stderr=subprocess.PIPE, env=self.environment | {"STICKSLIP_BROWSER": silent}) as process:
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted: nothing was written", err)
        self.assertEqual(sorted(self.folder.glob("*b.mp4*")), [])


if __name__ == "__main__":
    unittest.main()
