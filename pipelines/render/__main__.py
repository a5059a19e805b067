"""pipelines/batch: renders a video in segments."""

import os
import signal
import sys

from .options import parse_options
from .refusal import Refusal
from .screen import Screen


def main() -> int:
    screen = Screen()
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        options = parse_options(sys.argv[1:])
        try:
            from .batch import Batch
        except ImportError as error:
            raise Refusal(f"{error}: install python3-distributed, or run with BATCH_PYTHON=VENV/bin/python, the Python "
                          "of a virtual environment with the package distributed.") from error
        Batch(options, screen).run()
    except Refusal as refusal:
        screen.clear()
        print(refusal, file=sys.stderr, flush=True)
        return 1
    except OSError as error:
        screen.clear()
        where = f"{error.filename}: " if error.filename else ""
        print(f"{where}{error.strerror or error}. Finished segments are kept: the same command with --resume "
              "continues.", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        screen.clear()
        print("Interrupted. Finished segments are kept: the same command with --resume continues.", file=sys.stderr,
              flush=True)
        return 130
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Threads that wait for segments must not delay the end; the processes of these segments end with this one.
    os._exit(status)
