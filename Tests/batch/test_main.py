"""Tests the end of the program after exceptions, signals and closed outputs."""

import errno
import io
import os
import signal
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import support  # noqa: F401

from render.__main__ import end, main
from render.finished import SEGMENT
from render.refusal import Refusal


class MainTests(unittest.TestCase):
    """Runs the program with a stand-in that raises an error."""

    def setUp(self) -> None:
        self.handlers: dict[int, Any] = {}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "manifest").touch()
        self.segment = self.folder / "segments" / f"000000-aaaaaaaaaaaa{SEGMENT}"
        self.segment.parent.mkdir()
        self.segment.touch()
        for name, stand_in in (("signal.signal", self.handlers.__setitem__),
                               ("signal.getsignal", lambda number: self.handlers.get(number, signal.SIG_DFL)),
                               ("render.__main__.parse_options", lambda _: SimpleNamespace(folder=self.folder))):
            patch = mock.patch(name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def run_with(self, error: BaseException, **variables: str) -> tuple[int, str]:
        """Returns the exit status and the text of standard error."""
        def run() -> None:
            raise error

        errors = io.StringIO()
        with mock.patch("render.__main__.Batch", lambda *_: SimpleNamespace(run=run)), redirect_stderr(errors), \
                mock.patch.dict(os.environ, variables):
            if not variables:
                os.environ.pop("BATCH_TRACEBACK", None)
            return main(), errors.getvalue()

    def test_unexpected_error_is_printed_without_a_traceback(self) -> None:
        for error, words in ((ValueError("no such key.\nmore"), "ValueError: no such key. Finished segments are kept"),
                             (MemoryError(), "MemoryError. Finished segments are kept")):
            status, text = self.run_with(error)
            self.assertEqual(status, 1)
            self.assertTrue(text.startswith(words), text)
            self.assertIn("--resume continues", text)
            self.assertNotIn("Traceback", text)

    def test_control_characters_are_not_printed(self) -> None:
        """The name of a shared file or of a host may contain control characters or invalid UTF-8."""
        for error in (Refusal("/net/\x1b]0;title\x07\udcff:\nlink"), OSError(5, "I/O", "/net/\x1b]0;title\x07\udcff")):
            status, text = self.run_with(error)
            self.assertEqual(status, 1)
            self.assertTrue(text.startswith("/net/ ]0;title  :"), text)
            self.assertTrue(text.replace("\n", "").isprintable())

    def test_message_names_kept_segments_only_if_there_are_any(self) -> None:
        self.assertEqual(self.run_with(KeyboardInterrupt())[1],
                         "Interrupted. Finished segments are kept: the same command with --resume continues.\n")
        self.segment.unlink()
        self.assertEqual(self.run_with(KeyboardInterrupt()), (130, "Interrupted.\n"))
        self.assertEqual(self.run_with(OSError(5, "no"))[1], "no.\n")
        self.segment.touch()
        self.assertEqual(self.run_with(OSError(errno.EMLINK, "The file has another name", "lock"))[1],
                         "lock: The file has another name.\n")
        self.folder = Path("a" * 256)
        self.assertEqual(self.run_with(OSError(36, "File name too long", "a"))[1], "a: File name too long.\n")

    def test_traceback_of_an_unexpected_error_may_be_printed(self) -> None:
        status, text = self.run_with(ValueError("no such key"), BATCH_TRACEBACK="1")
        self.assertEqual(status, 1)
        self.assertRegex(text, r"(?s)^Traceback .*\nValueError: no such key\nValueError: no such key\. Finished")

    def test_closed_outputs_do_not_hide_the_status(self) -> None:
        """The outputs are a pipe whose reader has ended, and a closed terminal."""
        closed = SimpleNamespace(write=mock.Mock(side_effect=BrokenPipeError), isatty=lambda: False,
                                 flush=mock.Mock(side_effect=BrokenPipeError))
        with mock.patch("sys.stdout", closed):
            self.assertEqual(self.run_with(BrokenPipeError())[0], 1)
            with mock.patch("sys.stderr", closed), \
                    mock.patch("render.__main__.Screen", lambda: SimpleNamespace(clear=closed.flush)), \
                    mock.patch("render.__main__.Batch", mock.Mock(side_effect=OSError("gone"))):
                self.assertEqual(main(), 1)
            with mock.patch("os._exit") as exit_:
                end(1)
        exit_.assert_called_once_with(1)

    def test_end_of_the_terminal_interrupts_once(self) -> None:
        """After SIGHUP, the program removes its temporary files. A second SIGHUP must not interrupt the removal."""
        self.run_with(ValueError())
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.assertRaises(KeyboardInterrupt):
                self.handlers[number](number, None)
            self.assertEqual(self.handlers.pop(signal.SIGHUP), signal.SIG_IGN)
            self.run_with(ValueError())

    def test_sighup_stays_ignored_under_nohup(self) -> None:
        self.handlers[signal.SIGHUP] = signal.SIG_IGN
        self.run_with(ValueError())
        self.assertEqual(self.handlers[signal.SIGHUP], signal.SIG_IGN)


if __name__ == "__main__":
    unittest.main()
