"""pipelines/batch: renders a video in segments."""

import errno
import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import Any

from .batch import Batch
from .options import Options, parse_options
from .refusal import Refusal
from .screen import Screen, printable
from .workspace import Workspace


# Errors of `files` for a link or a pipe in the folder of the film. --resume would fail with the same error.
_OF_OTHERS = (errno.EMLINK, errno.ELOOP, errno.ENOTDIR, errno.EINVAL)


def main() -> int:
    screen = Screen()
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        # Under nohup, the program ignores SIGHUP, and continues when its terminal closes.
        signal.signal(signal.SIGHUP, _interrupt)
    options = None
    try:
        # pipelines/batch blocks SIGINT while Python starts.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        options = parse_options(sys.argv[1:])
        Batch(options, screen).run()
    except Refusal as refusal:
        return _failed(screen, str(refusal))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        kept = "" if error.errno in _OF_OTHERS else _kept(options)
        return _failed(screen, f"{where}{error.strerror or error}.{kept}")
    except KeyboardInterrupt:
        return _failed(screen, f"Interrupted.{_kept(options)}", 130)
    except Exception as error:
        # The exception comes from Dask, or from a bug of this program.
        if os.environ.get("BATCH_TRACEBACK"):
            with suppress(OSError):
                traceback.print_exc()
        text = ": ".join([type(error).__name__, *str(error).splitlines()[:1]])
        return _failed(screen, f"{text.removesuffix('.')}.{_kept(options)} BATCH_TRACEBACK=1 in the environment prints "
                               "where such an error comes from.")
    return 0


def _kept(options: Options | None) -> str:
    if options is None or not Workspace.has_segments(options.folder):
        return ""
    return " Finished segments are kept: the same command with --resume continues."


def _interrupt(*_: Any) -> None:
    # A shell may send SIGHUP again. The second SIGHUP must not interrupt the removal of temporary files.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


def _failed(screen: Screen, text: str, status: int = 1) -> int:
    """Prints an error. Ignores errors of a closed terminal or pipe."""
    with suppress(OSError):
        screen.clear()
    with suppress(OSError):
        print(printable(text), file=sys.stderr, flush=True)
    return status


def end(status: int) -> None:
    with suppress(OSError):
        sys.stdout.flush()
    # Do not wait for the threads of local workers. The processes of their segments end with this process.
    os._exit(status)


if __name__ == "__main__":
    end(main())
