"""Plays a pipeline as fast as possible, and measures the time from PLAYING to EOS."""
import time

from gi.repository import Gst

from process import play_to_end


def play(line):
    """Returns the CPU time of all threads and the wall time, in ns."""
    pipeline = Gst.parse_launch(line)
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(10 * Gst.SECOND)
    wall, processor = time.perf_counter_ns(), time.process_time_ns()
    pipeline.set_state(Gst.State.PLAYING)
    error = play_to_end(pipeline, 300)
    result = {"wall": time.perf_counter_ns() - wall, "cpu": time.process_time_ns() - processor}
    pipeline.set_state(Gst.State.NULL)
    return {"error": error} if error else result
