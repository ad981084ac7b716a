"""A student's notebook in a process of its own, as the grader talks to it."""

import time
from contextlib import suppress

from .sandbox import Place
from .values import decoded, encoded

SECONDS = 120  # for a cell, and for a question
QUESTIONS = 4  # that may take so long in one notebook
CALLBACKS = 10_000  # of the grader's functions, in one call


class StudentError(Exception):
    """What kept the student's code from giving a value, in words for the student."""


class Student:
    """Runs a student's cells and calls their functions; begins again where the process ended.

    What has been run is run again then, but for the cell that ended the process. A cell, and the
    test of a question, may take so many ``seconds``, all together QUESTIONS times as many.
    """

    def __init__(self, released, name, seconds=SECONDS, kind=None):
        self.released, self.name, self.kind = released, name, kind
        self.seconds = seconds
        self.deadline = self.until = time.monotonic() + QUESTIONS * seconds
        self.done, self.place = [], None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """End the process."""
        if self.place:
            self.place.close()
            self.place = None

    def allow(self):
        """Let what follows take its time, from now on."""
        self.until = min(time.monotonic() + self.seconds, self.deadline)

    def run(self, source):
        """Run a cell: what it printed, and why it ended early or None."""
        self.allow()
        try:
            reply = self._exchange({"run": source}, [])
        except StudentError as error:
            return "", str(error)
        self.done.append(source)
        error = reply.get("error")
        return text(reply.get("printed")), error and text(error)

    def call(self, name, *arguments, **named):
        """Call a function of the notebook by its name, or one that it returned by its number."""
        functions = []
        sent = {
            "call": name,
            "arguments": encoded(arguments, functions),
            "named": encoded(named, functions),
        }
        reply = self._exchange(sent, functions)
        if "error" in reply:
            raise StudentError(text(reply["error"]))
        try:
            return self._value(reply["value"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise StudentError(f"what it returns is no plain value: {error}") from None

    def function(self, name):
        """A function that calls the student's one."""
        return lambda *arguments, **named: self.call(name, *arguments, **named)

    def _value(self, message):
        return decoded(message, self.function)

    def _exchange(self, message, functions):
        """Send a message, answer what is asked meanwhile, and return the reply."""
        if time.monotonic() >= self.until:
            raise StudentError("the time is over")
        try:
            self._start()
            self.place.channel.deadline = self.until
            self.place.channel.send(message)
            for _ in range(CALLBACKS):
                reply = self.place.channel.receive()
                if "ask" not in reply:
                    return dict(reply)
                self.place.channel.send(self._asked(reply, functions))
            raise ValueError("too many calls of the function that was given")
        except TimeoutError:
            self.close()
            raise StudentError(f"no result after {self.seconds} seconds") from None
        except (EOFError, OSError) as error:
            self.close()
            raise StudentError(f"the process of the notebook has ended ({error})") from None
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            self.close()
            raise StudentError(f"the process of the notebook does not answer: {error}") from None
        except BaseException:
            self.close()  # what it would say next belongs to another question
            raise

    def _asked(self, reply, functions):
        """The value of a function of the grader, called with what the student's code gave."""
        try:
            value = functions[reply["ask"]](*self._value(reply["arguments"]))
            return {"value": encoded(value, functions)}
        except (MemoryError, Exception) as error:
            return {"error": f"{type(error).__name__}: {error}"[:500]}

    def _start(self):
        """Start the process if there is none, and run again what was run."""
        if self.place:
            return
        self.place = Place(self.released, self.name, self.kind)
        self.place.channel.deadline = self.until
        with suppress(KeyError):
            for source in self.done:
                self.place.channel.send({"run": source})
                self.place.channel.receive()


def text(value, longest=20_000):
    """Text of bounded length of whatever came."""
    return str(value)[:longest] if value is not None else ""
