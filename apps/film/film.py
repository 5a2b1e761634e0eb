# SPDX-License-Identifier: BSD-3-Clause
"""The replay of a result as a film: what `stickslip report --video` starts.

A Chromium without a window draws the frames, driven over its debugging pipe (Chrome DevTools Protocol); by software
where there is no graphics card. ffmpeg makes the film of them.
"""
import argparse
import base64
import fcntl
import json
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

WIDTH, HEIGHT = 960, 540  # [pixels]
FRAMES_A_SECOND = 25
SHORTEST = 4.0  # [s] of a film at its own speed
MOST_FRAMES = 1e6  # [-] eleven hours at 25 a second: a speed that was mistyped
PATIENCE = 60.0  # [s] for one reply, and for the first picture: a loaded machine draws a large page in some seconds
SPARE = 64  # a descriptor above those that the browser is given
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ENCODINGS = {  # how ffmpeg makes a film of this ending
    ".mp4": ["-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"],
    ".webm": ["-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-pix_fmt", "yuv420p", "-f", "webm"],
    ".gif": ["-vf", "split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none", "-f", "gif"],
}
FRAME_DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))"


class FilmError(Exception):
    """What the user can mend: exit status 2."""


class Interrupted(Exception):
    """The user asked to stop."""


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """A program and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Browser:
    """A page of WIDTH x HEIGHT pixels."""

    def __init__(self, program: str, profile: Path):
        arguments = [program, "--headless", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", f"--user-data-dir={profile}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium has no sandbox for root
        its_input, self.output = os.pipe()
        self.input, its_output = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, SPARE) for end in (its_input, its_output)]
        for end in (its_input, its_output):
            os.close(end)
        # It reads commands from descriptor 3 and writes replies to 4.
        self.process = subprocess.Popen([*arguments, "about:blank"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
                                        start_new_session=True,
                                        preexec_fn=lambda: [os.dup2(end, 3 + k) for k, end in enumerate(ends)])
        for end in ends:
            os.close(end)
        self.session = ""
        self.pending = b""  # received and not yet a whole message
        self.calls = 0

    def prepare(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command."""
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.output, json.dumps(message).encode() + b"\0")
        except OSError:
            raise FilmError(f"--video: the browser ended at {method}") from None
        while True:
            while b"\0" not in self.pending:
                self.pending += self.receive(method)
            text, _, self.pending = self.pending.partition(b"\0")
            reply = json.loads(text)
            if reply.get("id") != self.calls:
                continue  # an event, or an answer that nobody waits for
            if "error" in reply:
                raise FilmError(f"--video: the browser refused {method}: {reply['error'].get('message', '')}")
            result: dict[str, Any] = reply["result"]
            return result

    def receive(self, method: str) -> bytes:
        ready, _, _ = select.select([self.input], [], [], PATIENCE)
        more = os.read(self.input, 1 << 20) if ready else b""
        if not more:
            raise FilmError(f"--video: the browser did not answer {method}")
        return more

    def is_true(self, expression: str) -> bool:
        """Evaluates an expression, awaits it where it is a promise: whether it is true."""
        reply = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return reply["result"].get("value") is True

    def open(self, page: Path) -> None:
        """The replay alone, as soon as its first picture is drawn."""
        self.call("Page.navigate", url=f"file://{quote(str(page.absolute()))}#picture&light")
        begun = time.monotonic()
        while not self.is_true("window.stickslip?.replay?.frames > 0"):
            if self.is_true("document.getElementById('no-webgl')?.hidden === false"):
                raise FilmError("--video: the browser draws no WebGL 2")
            if time.monotonic() - begun > PATIENCE:
                raise FilmError("--video: the browser did not draw the page")
            time.sleep(0.05)

    def take_picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


def find_program(names: tuple[str, ...], variable: str) -> str:
    """Where a program of the path is, or the named one of an environment variable that is set; empty: not there."""
    if variable in os.environ:
        names = (os.path.abspath(os.environ[variable]),)
    return next((path for name in names if (path := shutil.which(name))), "")


def find_programs() -> tuple[str, str]:
    """The browser and ffmpeg."""
    browser = find_program(BROWSERS, "STICKSLIP_BROWSER")
    ffmpeg = find_program(("ffmpeg",), "STICKSLIP_FFMPEG")
    if browser and ffmpeg:
        return browser, ffmpeg
    needed = " and ".join([*([] if browser else ["a browser (Chromium)"]), *([] if ffmpeg else ["ffmpeg"])])
    packages = " ".join([*([] if browser else ["chromium-headless-shell"]), *([] if ffmpeg else ["ffmpeg"])])
    what = "it" if browser or ffmpeg else "them"
    raise FilmError(f"--video: needs {needed}; to install {what}: sudo apt-get install "
                    f"--no-install-recommends {packages} (elsewhere: chromium.org, ffmpeg.org; STICKSLIP_BROWSER and "
                    "STICKSLIP_FFMPEG name programs that are not in the path)")


def frame_times(begin: float, duration: float, speed: float) -> list[float]:
    """The instants of the motion [s] that are drawn; speed 0: its own."""
    speed = speed or min(1.0, duration / SHORTEST)
    interval = speed / FRAMES_A_SECOND  # [s] of the motion
    count = math.floor(duration / interval + 1e-9) + 1 if interval > 0 else 1
    if count > MOST_FRAMES:
        raise FilmError(f"--speed {speed:g}: {count:.3g} frames, of which a film has at most {MOST_FRAMES:.0f}")
    return [begin + interval * k for k in range(count)]


def make_part(folder: Path) -> Path:
    """A new file of a name that nobody can foresee: a link of a known name would lead elsewhere."""
    handle, name = tempfile.mkstemp(prefix=".stickslip-", suffix=".tmp", dir=folder)
    mask = os.umask(0o077)
    os.umask(mask)
    os.fchmod(handle, 0o666 & ~mask)  # the permissions of a file that is opened
    os.close(handle)
    return Path(name)


def make_film(options: argparse.Namespace, folder: Path) -> None:
    film: Path = options.film
    if film.suffix not in ENCODINGS:
        raise FilmError(f"--video: {film}: a file *.mp4, *.webm or *.gif")
    chromium, ffmpeg = find_programs()
    times = frame_times(options.begin, options.duration, options.speed)
    page = folder / "page.html"
    made = subprocess.run([options.program, "report", options.result, "-o", page, "--quiet"], stderr=subprocess.PIPE,
                          text=True, check=False)
    if made.returncode != 0:
        raise FilmError(made.stderr.strip())
    part = None
    browser = Browser(chromium, folder / "profile")
    try:
        part = make_part(film.absolute().parent)
        browser.prepare()
        browser.open(page)
        encode(browser, times, [ffmpeg, "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate",
                                str(FRAMES_A_SECOND), "-c:v", "png", "-i", "-", *ENCODINGS[film.suffix], str(part)],
               film, shows=not options.quiet and sys.stderr.isatty())
        part.replace(film)
    finally:
        end_group(browser.process)
        if part is not None:
            part.unlink(missing_ok=True)


def encode(browser: Browser, times: list[float], arguments: list[str], film: Path, shows: bool) -> None:
    """Hands the picture of each instant to ffmpeg."""
    encoder = subprocess.Popen(arguments, stdin=subprocess.PIPE, start_new_session=True)
    try:
        for made, instant in enumerate(times, 1):
            browser.is_true(f"stickslip.set_time({instant!r}), {FRAME_DRAWN}")
            assert encoder.stdin is not None
            try:
                encoder.stdin.write(browser.take_picture())
                encoder.stdin.flush()
            except BrokenPipeError:
                break  # why, it says itself
            if shows:
                end = "\n" if made == len(times) else ""
                print(f"\r{made} of {len(times)} frames", end=end, file=sys.stderr, flush=True)
        encoder.communicate()
        if encoder.returncode != 0:
            raise FilmError(f"{film}: ffmpeg did not make it, as said above")
    finally:
        end_group(encoder)


def interrupt(number: int, frame: FrameType | None) -> None:
    """A further signal means no more than the first."""
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted


def main() -> int:
    parser = argparse.ArgumentParser(prog="stickslip report --video", allow_abbrev=False)
    parser.add_argument("result", type=Path)
    parser.add_argument("film", type=Path)
    parser.add_argument("--program", type=Path, required=True)
    for name in ("--begin", "--duration", "--speed"):
        parser.add_argument(name, type=float, required=True)  # [s], [s], [-]
    parser.add_argument("--quiet", action="store_true")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    try:
        options = parser.parse_args()
        with tempfile.TemporaryDirectory(prefix="stickslip-video-", ignore_cleanup_errors=True) as folder:
            make_film(options, Path(folder))
        if not options.quiet:
            print(options.film)
        return 0
    except (FilmError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except Interrupted:
        print("\ninterrupted: nothing was written", file=sys.stderr)
        return 130


sys.exit(main())
