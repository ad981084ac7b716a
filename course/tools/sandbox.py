"""Start a student's process where it can do no harm, and end it with all that it has started.

Three kinds of places, the best that works here is taken: bubblewrap (a view of the file system
without the course, the submissions and the grades; no network; processes that die together);
another user (for root without bubblewrap, as in a container); and the same user, with a warning.
Limits of time, memory, processes and output hold in each of them (pupil.py).
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from .values import Channel

PUPIL = Path(__file__).with_name("pupil.py")
SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
DISK = 256 * 2**20  # bytes that a student's process may write
SECONDS_TO_START = 60
CHILD_SUBREAPER = 36  # of prctl: orphans become children of this process
WARNING = (
    "Submissions are run as your own user: they can read and change your files. Install bubblewrap "
    "(apt-get install bubblewrap), or grade in a container: course/Containerfile makes one."
)


def environment(folder, student):
    """All that a student's process knows of the environment."""
    return {
        "PATH": os.defpath,
        "HOME": folder,
        "IPYTHONDIR": f"{folder}/.ipython",
        "MPLCONFIGDIR": f"{folder}/.matplotlib",
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "COURSE_STUDENT": student,
    }


def bubblewrap(released, folder):
    """A command that shows a process Python, its packages, what was released and little else."""
    shown = [path for path in SYSTEM if Path(path).exists()]
    shown += sorted({sys.prefix, sys.base_prefix})
    options = ["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]
    options += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    options += [] if os.geteuid() == 0 else ["--unshare-user"]
    for disk in ["/tmp", "/dev/shm"]:  # before what may lie there, as a clone does in CI
        options += ["--perms", "1777", "--size", str(DISK), "--tmpfs", disk]
    for path in shown:
        for parent in reversed(Path(path).parents[:-1]):  # else only root may look into them
            options += ["--perms", "0755", "--dir", str(parent)]
        options += ["--ro-bind", path, path]
    options += ["--ro-bind", str(PUPIL), "/pupil.py", "--ro-bind", released, "/released"]
    options += ["--dir", "/tmp/work", "--chdir", "/tmp/work"]
    return ["bwrap", *options, sys.executable, "/pupil.py"], "/released", "/tmp/work"


def plain(released, folder):
    """A command in an own folder; root becomes another user there."""
    return [sys.executable, str(PUPIL)], released, folder


class Place:
    """A student's process in a folder of its own, and the channel to it."""

    def __init__(self, released, student, kind=None):
        adopt_orphans()
        self.folder = tempfile.mkdtemp(prefix="course-")
        os.chmod(self.folder, 0o711)
        ours, theirs = socket.socketpair()
        kind = kind or kind_here()
        wrap = bubblewrap if kind == "bubblewrap" else plain
        command, shown, home = wrap(str(released), self.folder)
        another = os.geteuid() == 0 and kind != "same user"
        user = 100_000 + os.getpid() % 100_000 if another else 0
        self.process = subprocess.Popen(
            [*command, str(theirs.fileno()), shown, str(user)],
            cwd=self.folder,
            env=environment(home, student),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self.channel = Channel(ours)
        self.channel.deadline = time.monotonic() + SECONDS_TO_START
        try:
            self.channel.receive()
        except (OSError, EOFError) as error:
            self.close()
            raise RuntimeError(f"no process could be started: {self.said}") from error

    def close(self):
        """End the process and all that it has started, and remove its folder."""
        self.channel.socket.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.said = self.process.communicate()[1].decode(errors="replace")[-2000:]
        end_descendants()
        shutil.rmtree(self.folder, ignore_errors=True)


def adopt_orphans():
    """Become the parent of processes whose parent has ended, so that they can be found."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)


def end_descendants():
    """Kill the children of this process until there are none: theirs then become ours."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    while listed.exists() and (children := listed.read_text().split()):
        for child in map(int, children):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


@cache
def kind_here():
    """The best kind of place that works here."""
    kinds = ["bubblewrap"] if shutil.which("bwrap") else []
    if os.geteuid() == 0:
        kinds.append("another user")
    for kind in kinds:
        with tempfile.TemporaryDirectory() as released:
            os.chmod(released, 0o755)
            shutil.copy(PUPIL.with_name("values.py"), released)
            with suppress(RuntimeError, OSError):
                Place(released, "nobody", kind).close()
                return kind
    return "same user"
