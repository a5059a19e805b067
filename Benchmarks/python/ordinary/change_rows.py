"""Pipelines that are paused, restarted, flushed, relinked, or overloaded for some time, while they play."""
from row import DISPLAY, Row, live

PLAIN_SYNC = "fakesink name=end sync=true"


def states():
    """Pipelines with a live source that are paused or restarted."""
    yield Row("pause-3s", f"{live()} ! {{Q}} ! videoconvert ! {DISPLAY}", latency=100, timed=False,
              application=("pause", 3000))
    yield Row("pause-3s-default-latency", f"{live()} ! {{Q}} ! {PLAIN_SYNC}", timed=False, most_behind=3,
              application=("pause", 3000))
    for state in ("null", "ready"):
        yield Row(f"restart-from-{state}", f"{live()} ! {{Q}} ! videoconvert ! {DISPLAY}", latency=100,
                  application=("restart", state), short=state == "null")
    yield Row("restart-slow-60-queue", f"{live()} ! {{Q}} ! queue ! identity name=end sleep-time=60000 ! fakesink",
              most_behind=4, application=("restart", "null"))


def links():
    """Pipelines in which a branch of a tee, or only the queue, is added and removed while they play."""
    tee = f"{live()} ! tee name=t allow-not-linked=true"
    other = "t. ! queue ! fakesink sync=true"
    yield Row("branch-added", f"{tee}  {other}  //  {{Q}} ! videoconvert ! {DISPLAY}", latency=100,
              application=("branch",))
    yield Row("branch-removed", f"{tee}  {other}  //  {{Q}} ! videoconvert ! fakesink name=end sync=true", latency=100,
              application=("branch", 0.75))
    yield Row("branch-removed-other", f"{tee}  t. ! queue ! {DISPLAY}  //  {{Q}} ! videoconvert ! fakesink sync=true",
              latency=100, application=("branch", 0.75))
    yield Row("queue-inserted", f"{live()} ! identity name=before ! videoconvert ! {PLAIN_SYNC}  //  {{Q}}",
              latency=100, application=("insert",), short=True)


def overloads():
    """A consumer takes 60 ms per frame for 3 s, and then keeps up. Recent frames count from 1 s after the overload."""
    work = "identity name=work"
    course = ("settings", "work", "sleep-time", ((1 / 9, 60000), (4 / 9, 0)), 5 / 9)
    for name, elements, behind, latency in (
        ("overload-3s", f"{work} ! fakesink name=end", 2, None),
        ("overload-3s-queue", f"queue ! {work} ! fakesink name=end", 2, None),
        ("overload-3s-converted", f"videoconvert ! video/x-raw,format=NV12 ! queue ! {work} ! fakesink name=end", 2,
         None),
        ("overload-3s-display", f"{work} ! {DISPLAY}", 5, 100),
        ("overload-3s-display-queue", f"queue ! {work} ! {DISPLAY}", 5, 100),
    ):
        yield Row(name, f"{live()} ! {{Q}} ! {elements}", latency=latency, most_behind=behind, least_seconds=9,
                  application=course)


def seeks():
    source = ("appsrc name=source is-live=true format=time stream-type=seekable min-latency=33333333 "
              "caps=video/x-raw,format=I420,width=320,height=240,framerate=30/1")
    seek = ("live-source", 320, 240)
    yield Row("appsrc-seek", f"{source} ! {{Q}} ! videoconvert ! {DISPLAY}", latency=100, application=seek)
    yield Row("appsrc-seek-slow-60", f"{source} ! {{Q}} ! queue ! identity name=end sleep-time=60000 ! fakesink",
              most_behind=4, application=seek)


def rows():
    for part in (states, links, overloads, seeks):
        yield from part()
