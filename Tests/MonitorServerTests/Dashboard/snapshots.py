#!/usr/bin/env python3
"""Prints synthetic snapshots of a pipeline, one JSON line for each second: snapshots.py COUNT [CLOCK] [hostile] [log]

A camera feeds a tee. One branch has an encoder and a muxer. The other branch has a detector. The encoder is slow from
50 % to 85 % of the time. During this time, the queue of the encoder is full, the queue of the detector drops frames,
and an alert is active. From 60 % on, the frames are smaller.
With CLOCK, the snapshots contain the time, starting at CLOCK. With "hostile", names and texts contain markup and
control characters. With "log", every fifth snapshot is printed as a short line of a log file.
"""
import json
import random
import sys

HOSTILE = '<img src=x onerror=alert(1)>"\'&\u202e</script>'


def latency(rng, middle, count, coverage=1.0):
    if not count:
        return {"p50": None, "p95": None, "p99": None, "max": None, "mean": None, "count": 0, "coverage": None}
    p95 = middle * rng.uniform(1.6, 2.1)
    return {"p50": round(middle, 6), "p95": round(p95, 6), "p99": round(p95 * 1.4, 6) if count >= 100 else None,
            "max": round(p95 * 2, 6), "mean": round(middle * 1.1, 6), "count": count, "coverage": coverage}


def level(name, value, detail="", limit=None):
    unit = {"queue-time": "s", "temperature": "°C"}.get(name, "")
    return {"name": name, "detail": detail, "value": value, "limit": limit, "unit": unit}


class Pipeline:
    def __init__(self, seconds, hostile):
        self.rng = random.Random(1)
        self.seconds = seconds
        self.hostile = hostile
        self.totals = {}
        self.events = []
        self.alert = None

    def element(self, name, factory, links, middle, age, rate, dropped=0, blocked=0.0, cpu=None, levels=(), **more):
        total = self.totals.setdefault(name, [0, 0])
        total[0] += round(rate) + dropped
        total[1] += dropped
        count = round(rate * 5)
        frames = {"in": total[0], "out": total[0] - total[1] if links else 0, "dropped": total[1]}
        coverage = more.pop("coverage", 1.0)
        recent = {"length": 5.0, "in": count, "out": count, "dropped": dropped * 5, "rate": rate, "blocked": blocked,
                  "latency": latency(self.rng, middle, count if middle else 0, coverage), "age": latency(self.rng, age, count)}
        more.setdefault("cpu-wait", None if cpu is None else round(cpu * 0.8, 2))
        if self.hostile:
            name, factory = HOSTILE + name, HOSTILE
            links = [HOSTILE + link for link in links]
        return {"name": name, "factory": factory, "kinds": ["queue"] if "queue" in factory else [], "links": links, "cpu": cpu, "bytes-in": 1, "bytes-out": 1,
                "5s": recent, "30s": recent, "60s": recent, "total": {**recent, **frames}, "levels": list(levels), **more}

    def alerts(self, second, p95):
        slow = p95 > 0.050
        if slow and not self.alert:
            self.alert = {"severity": "critical", "element": "encoder", "metric": "p95", "value": p95, "recent": p95,
                          "target": 0.025, "window": 60.0, "samples": 1500, "since": second}
            self.events.append({"time": second, "alert": "raised", "details": self.alert})
        if not slow and self.alert:
            self.events.append({"time": second, "alert": "cleared", "details": self.alert})
            self.alert = None
        return [self.alert] if self.alert else []

    def snapshot(self, second, clock):
        rng, part = self.rng, second / self.seconds
        slow = 0.5 <= part < 0.85
        work = rng.uniform(0.034, 0.040) if slow else rng.uniform(0.011, 0.014)
        queued = 200 if slow else rng.randint(0, 3)
        rate = 26.5 if slow else 29.97
        wait = queued / rate
        step = 1 if part >= 0.6 else 0
        elements = [
            self.element("camera", "v4l2src", ["scaler"], 0, 0.004, 29.97, blocked=0.02, cpu=0.05),
            self.element("scaler", "thermalcaps", ["tee0"], 0.0021, 0.007, 29.97, cpu=0.11, levels=[
                level("temperature", round(50 + 30 * part + rng.uniform(-1, 1), 1), "cpu-thermal"),
                level("thermal-level", step * 2, "serious" if step else "nominal"),
                level("ladder-step", step, "1280x720@30" if step else "1920x1080@30", 3)]),
            self.element("tee0", "tee", ["queue-encoder", "queue-detector"], 0.00002, 0.007, 29.97),
            self.element("queue-encoder", "queue", ["encoder"], max(wait, 0.0004), 0.007 + wait, rate, levels=[
                level("queue-buffers", queued, limit=200), level("queue-time", round(wait, 3), limit=10.0)]),
            self.element("queue-detector", "backpressurequeue", ["detector"], 0.003, 0.012, 10,
                         dropped=4 if slow else 0, levels=[
                level("in-flight", 1, limit=2), level("drops", 12 if slow else 1, "late"), level("drops", 3, "full")]),
            self.element("encoder", "x264enc", ["mux"], work, 0.03 + wait, rate, cpu=0.98 if slow else 0.4, levels=[
                level("pool-size", 6, limit=16), level("pool-used", 4 if slow else 2, limit=16)]),
            self.element("detector", "tensor_filter", ["overlay"], 0.071, 0.09, 10, cpu=0.7, coverage=0.87),
            self.element("mux", "mp4mux", ["file"], 0.0009, 0.04 + wait, rate, blocked=0.01),
            self.element("overlay", "textoverlay", ["screen"], 0.0012, 0.1, 10, blocked=0.6),
            self.element("file", "filesink", [], 0, 0.045 + wait, rate),
            self.element("screen", "autovideosink", [], 0, 0.11, 10),
        ]
        p95 = elements[5]["5s"]["latency"]["p95"]
        standing = self.alerts(second, p95)
        target = {"element": "encoder", "metric": "p95", "target": 0.025, "value": p95, "recent": p95,
                  "compliance": 0.62 if slow else 0.991, "samples": 1500, "severity": "critical" if standing else None}
        process = {"cpu": round(2.9 if slow else 1.4, 2), "processors": 4, "cpu-wait": 2.1 if slow else 0.1,
                   "cpu-wait-share": 0.42 if slow else 0.07, "machine-cpu": 3.9 if slow else 1.6, "machine-processors": 4,
                   "stolen-cpu": 0.2 if slow else 0, "cpu-pressure": 0.93 if slow else 0.02, "memory": 180_000_000 + second * 9000,
                   "peak-memory": 190_000_000 + second * 9000, "energy": None, "power": None,
                   "energy-source": "not measurable: energy_uj is readable by root only",
                   "threads": [{"name": "queue-encoder:src", "cpu": 0.98 if slow else 0.4, "wait": 0.01},
                               {"name": "camera:src", "cpu": 0.2, "wait": 0.45 if slow else 0.01}]}
        rate_target = {**target, "metric": "rate", "target": 29, "value": rate, "severity": "warning" if slow else None}
        verdict = ["waited for a CPU: 42 % of the time that its threads wanted to run; other programs use 1 of 4 CPUs",
                   "bottleneck: encoder, 37.0 ms a frame at 26.5/s, works or waits all the time; queue-encoder is full before it"]
        snapshot = {"time": float(second), "name": "pipeline0",
                    "verdict": verdict if slow else [], "bottleneck": ["encoder"] if slow else None,
                    "pipeline": self.element("pipeline", "pipeline", [], 0, 0.06 + wait, rate), "elements": elements,
                    "process": process, "targets": [target, rate_target], "alerts": standing, "history": self.events[-30:]}
        if self.hostile:
            snapshot.update(name=HOSTILE, verdict=[HOSTILE, 3, None], bottleneck=[HOSTILE + "mux", 3])
            process["energy-source"] = HOSTILE
            process["threads"][0]["name"] = HOSTILE
            snapshot["alerts"] = [{**target, "element": HOSTILE, "metric": HOSTILE, "severity": HOSTILE}]
            snapshot["elements"][1]["levels"].append(level(HOSTILE, 1, HOSTILE, 2))
            snapshot["elements"].append({"name": None, "5s": "x", "levels": [None, 3], "links": [3, HOSTILE + "mux"]})
            snapshot["elements"].append({"name": "a" * 5000, "factory": "b" * 5000})
        if clock is not None:
            snapshot["clock"] = clock + second
        return snapshot


def brief(element):
    figures = element["5s"]
    short = {"name": element["name"], "out": figures["out"], "dropped": figures["dropped"], "rate": figures["rate"]}
    for name in ("latency", "age"):
        if figures[name]["count"]:
            short[name] = {key: value for key, value in figures[name].items()
                           if key in ("p50", "p95", "p99", "max", "coverage") and value is not None
                           and (key, value) != ("coverage", 1.0)}
    return short


def log_line(snapshot):
    line = {"time": snapshot["time"], "elements": [brief(element) for element in snapshot["elements"]],
            "pipeline": brief(snapshot["pipeline"]), "cpu": snapshot["process"]["cpu"], "memory": snapshot["process"]["memory"]}
    if snapshot["alerts"]:
        line["alerts"] = snapshot["alerts"]
    return line


def main():
    words = [word for word in sys.argv[1:] if word not in ("hostile", "log")]
    count = int(words[0])
    clock = float(words[1]) if len(words) > 1 else None
    pipeline = Pipeline(count, "hostile" in sys.argv)
    for second in range(count):
        snapshot = pipeline.snapshot(second, clock)
        if "log" not in sys.argv:
            print(json.dumps(snapshot, ensure_ascii=False))
        elif second % 5 == 0:
            for event in [event for event in pipeline.events if event["time"] > second - 5]:
                print(json.dumps(event, ensure_ascii=False))
            # Even with "log", the first line is a whole snapshot, which lists the elements and their links.
            print(json.dumps(log_line(snapshot) if second else snapshot, ensure_ascii=False))


if __name__ == "__main__":
    main()
