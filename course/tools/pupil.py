"""The process in which a student's cells run: ``python pupil.py SOCKET RELEASED USER``.

It copies the released folder into the empty one where it was started, gives up what it may not do,
and answers messages on the socket, an open file by its number: {"run": source} and {"call": ...}.
Nothing here has to be trusted after the first cell: the student's code may change all of it.
"""

import ctypes
import io
import os
import resource
import shutil
import socket
import sys
import traceback

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS of Linux
PRIVATE, READ_ONLY = 0x40000 | 0x4000, 0x1000 | 0x20 | 0x1  # of mount: recursive; bound again
NO_NETWORK = 0x40000000  # CLONE_NEWNET
NEW_USER = 0x10000000  # CLONE_NEWUSER
MEGABYTE = 2**20
LIMITS = {
    "RLIMIT_AS": 3072 * MEGABYTE,
    "RLIMIT_FSIZE": 64 * MEGABYTE,
    "RLIMIT_CORE": 0,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_CPU": 600,
}
PROCESSES = 64
DISK = 256 * MEGABYTE  # that a process of root may write
CHARACTERS = 20_000  # of what a cell prints


class Printed(io.TextIOBase):
    """What a cell prints, no longer than is shown."""

    def __init__(self):
        self.parts, self.room = [], CHARACTERS

    def write(self, text):
        """Keep the text while there is room."""
        self.parts.append(str(text)[: self.room])
        self.room -= len(self.parts[-1])
        return len(text)

    def taken(self):
        """What was printed since the last time."""
        text = "".join(self.parts) + ("" if self.room else "\n[more was printed]")
        self.__init__()
        return text


def own_disk(folder):
    """Let this process write to small disks only, as in bubblewrap, where root may do so."""
    libc, disk = ctypes.CDLL(None), os.statvfs(folder)
    if disk.f_blocks * disk.f_frsize <= DISK or libc.unshare(NEW_MOUNTS):
        return
    libc.mount(None, b"/", None, PRIVATE, None)
    with open("/proc/self/mounts", "rb") as file:
        places = [line.split()[1].decode("unicode_escape").encode("latin-1") for line in file]
    for place in places:
        libc.mount(None, place, None, READ_ONLY, None)
    for own in [folder, "/dev/shm"]:  # where locks between processes are kept
        libc.mount(b"tmpfs", own.encode(), b"tmpfs", 0, b"size=%d,mode=1777" % DISK)
    os.chdir(folder)


def give_up(user):
    """Leave the network, the user root and the rights to use much of the machine."""
    alone = os.geteuid() == 0
    if sys.platform == "linux":
        namespaces = NO_NETWORK | (0 if alone else NEW_USER)
        alone |= ctypes.CDLL(None).unshare(namespaces) == 0
        try:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")  # whose memory is taken first
        except OSError:  # a sandbox may forbid it
            pass
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    if alone:  # counted by user: nobody's processes but these
        LIMITS["RLIMIT_NPROC"] = PROCESSES
    for name, most in LIMITS.items():
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (ValueError, OSError):  # macOS has no limit of the address space
            pass


def what_failed(error):
    """An error in a line or two: its type and message, and the line of the student's cell."""
    lines = traceback.extract_tb(error.__traceback__)
    own = [line for line in lines if "ipython-input" in line.filename or line.filename == "<cell>"]
    said = "".join(traceback.format_exception_only(error)).strip()[:2000]
    return f"{said}\nin line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else said


class Pupil:
    """Runs cells and calls functions, as the grader asks."""

    def __init__(self, channel, values):
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "NoColor"
        config.InteractiveShell.xmode = "Minimal"
        InteractiveShell.enable_gui = lambda *arguments: None  # %matplotlib asks for it
        self.shell = InteractiveShell.instance(config=config)
        self.channel, self.values, self.functions = channel, values, []
        self.printed = sys.stdout = sys.stderr = Printed()

    def run(self, source):
        """Run a cell; the reply has what it printed, and why it ended early."""
        result = self.shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        return {"printed": self.printed.taken(), "error": error and what_failed(error)}

    def call(self, name, arguments, named):
        """Call a function of the notebook, or one that another function returned."""
        function = self.functions[name] if isinstance(name, int) else self.shell.user_ns.get(name)
        if not callable(function):
            return {"error": f"there is no function {name}"}
        arguments = self.values.decoded(arguments, self.grader_function)
        named = self.values.decoded(named, self.grader_function)
        try:
            value = function(*arguments, **named)
            return {"value": self.values.encoded(value, self.functions)}
        except BaseException as error:
            return {"error": what_failed(error)}

    def grader_function(self, number):
        """A function of the grader, called through the channel."""

        def ask(*arguments):
            sent = self.values.encoded(arguments, self.functions)
            self.channel.send({"ask": number, "arguments": sent})
            reply = self.channel.receive()
            if "error" in reply:
                raise TypeError(reply["error"])
            return self.values.decoded(reply["value"], self.grader_function)

        return ask

    def serve(self):
        """Answer messages until the grader ends."""
        while True:
            message = self.channel.receive()
            if "run" in message:
                reply = self.run(message["run"])
            else:
                reply = self.call(message["call"], message["arguments"], message["named"])
                reply["printed"] = self.printed.taken()
            try:
                self.channel.send(reply)
            except self.values.NotPlain as error:
                self.channel.send({"error": str(error)})


def main():
    """Serve the grader at the other end of the socket."""
    number, released, user = sys.argv[1:]
    if int(user) and sys.platform == "linux":
        own_disk(os.getcwd())
    shutil.copytree(released, ".", dirs_exist_ok=True)
    sys.path[:] = [os.getcwd(), *(path for path in sys.path if path != os.path.dirname(__file__))]
    if int(user):
        for folder, _, files in os.walk("."):
            for name in [".", *files]:
                os.chown(os.path.join(folder, name), int(user), int(user))
    give_up(int(user))
    sys.path.insert(0, released)
    import values

    sys.path.remove(released)
    channel = values.Channel(socket.socket(fileno=int(number)))
    pupil = Pupil(channel, values)
    channel.send({"ready": True})
    pupil.serve()


if __name__ == "__main__":
    main()
