"""Measures the gain of each switch of a plan; see Benchmarks/ab."""
import ctypes
import json
import os
import signal
import sys

# Value of this constant in sys/prctl.h.
PR_SET_PDEATHSIG = 1


def play(spec: dict) -> int:
    """Plays one run and writes its result to a file. The kernel kills the process when its parent ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != spec["parent"]:
        return 1
    if spec.get("is-fidelity"):
        import fidelity as player
    else:
        import child as player
    result = player.play(spec)
    with open(spec["result"], "w", encoding="utf-8") as file:
        json.dump(result, file)
    # The result is complete, so the elements need not be freed.
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sys.exit(play(json.loads(sys.argv[2])))
    # The command imports SciPy, for which the process of a run must not wait, so it is imported only here.
    import command

    sys.exit(command.main())
