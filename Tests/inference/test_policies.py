"""Tests of the modules of pipelines/inference that need no pipeline: targets, memory, battery, text, models."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import unittest
from fractions import Fraction
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "pipelines/inference"))

import battery  # noqa: E402
import memory_state  # noqa: E402
import numpy  # noqa: E402
import overlay  # noqa: E402
import targets  # noqa: E402
import text_lines  # noqa: E402
from battery import Battery, BatteryGuard, BatteryLimit  # noqa: E402
from memory_state import MemoryGuard, MemoryState  # noqa: E402
from model_host import ModelHost  # noqa: E402
from models import KINDS, Kind, Picture  # noqa: E402

FILE, MODELS = TOP / "targets/neuroguide.json", TOP / "targets/models.json"
SHORT, ENOUGH, UNKNOWN = MemoryState.SHORT, MemoryState.ENOUGH, MemoryState.UNKNOWN


class TargetTest(unittest.TestCase):
    def test_every_row_of_the_file_has_a_model(self) -> None:
        self.assertEqual(set(json.loads(MODELS.read_text("utf-8"))["targets"]), set(KINDS))
        for name in KINDS:
            self.assertGreater(targets.read(MODELS, name).rates[0], 0)

    def test_power_is_a_limit_of_the_pipeline(self) -> None:
        row = targets.read(MODELS, "text")
        self.assertEqual((row.energy, row.battery), (None, 15))
        self.assertNotIn("energy", row.text(0))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"targets": {"pose": {"rate": "20/s", "energy": "800mW"}}}')
            file.flush()
            self.assertEqual(targets.read(Path(file.name), "pose").energy, 0.8)
        self.assertTrue(row.text(None, memory=1e8, watts=7.5).endswith("pipeline: memory=100.0MB, energy=7.500W"))

    def test_a_tier_has_its_rate_as_the_target(self) -> None:
        row = targets.read(FILE, "pose")
        self.assertEqual(row.rates, (20, 15, 10))
        self.assertTrue(row.text(0).startswith("pose: rate=20, "))
        self.assertTrue(row.text(1).startswith("pose: rate=15, "))
        for words in ("p50=30ms", "p95=50ms", "p99=100ms", "compliance=95%", "latency-warning=150%", "tiers=15|10"):
            self.assertIn(words, row.text(0))
        self.assertIn("tiers=10", row.text(1))
        self.assertNotIn("tiers", row.text(2))

    def test_the_tier_off_only_limits_memory(self) -> None:
        row = targets.read(FILE, "vocal-affect")
        self.assertEqual(row.rates, (10, 5, None))
        self.assertEqual(row.text(2, memory=150_000_000), "pipeline: memory=150.0MB")
        self.assertTrue(row.is_off(2))

    def test_a_given_window_replaces_the_window_of_the_file(self) -> None:
        row = targets.read(FILE, "stress")
        self.assertIn("window=60s", row.text(0))
        self.assertIn("window=1s", row.text(0, "1s"))
        self.assertNotIn("window=60s", row.text(0, "1s"))

    def test_the_ladder_has_a_level_for_each_tier(self) -> None:
        self.assertEqual(targets.read(FILE, "pose").ladder(),
                         "video/x-raw; video/x-raw,framerate=15/1; video/x-raw,framerate=10/1")
        self.assertEqual(targets.read(FILE, "vocal-affect").ladder(),
                         "video/x-raw; video/x-raw,framerate=5/1; video/x-raw,framerate=1/1")
        self.assertIsNone(targets.read(FILE, "stress").ladder())

    def test_the_frame_rate_selects_the_tier(self) -> None:
        row = targets.read(FILE, "vocal-affect")
        for rate, tier in ((Fraction(10), 0), (Fraction(5), 1), (Fraction(1), 2), (Fraction(2), 1), (Fraction(30), 0)):
            self.assertEqual(row.tier(rate), tier)

    def test_a_slow_camera_does_not_turn_the_model_off(self) -> None:
        row = targets.Row("pose", (Fraction(20), None))
        self.assertEqual([row.tier(Fraction(rate)) for rate in (20, 5, 2, 1)], [0, 0, 0, 1])

    def test_an_invalid_target_is_reported(self) -> None:
        for target, answer in (
                ('{"rate": "20/s", "tiers": [15, 30]}', "do not fall"),
                ('{"rate": "20/s", "tiers": ["off", 5]}', "do not fall"),
                ('{"rate": "20/s", "tiers": [1, "off"]}', "must be above that"),
                ('{"rate": "1/s", "tiers": ["off"]}', "must be above that"),
                ('{"rate": "20/s", "tiers": [0.5]}', "thermalcaps has no rates below 1/s"),
                ('{"rate": "20/s", "tiers": [9, 8, 7, 6, 5]}', "has 5 tiers"), ('{"p95": "50ms"}', "'rate' is missing"),
                ('{"rate": "20/s", "p95": "50"}', "has no unit of time"), ('{"rate": "often"}', "cannot be read"),
                ('[]', "cannot be read"), ('{"rate": "20/s", "memory": "much"}', "memory is \"much\", without a unit"),
                ('{"rate": "20/s", "energy": "5"}', "energy is \"5\", without a unit (mW, W)")):
            with self.subTest(target), tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write('{"targets": {"pose": ' + target + "}}")
                file.flush()
                with self.assertRaises(SystemExit) as ended:
                    targets.read(Path(file.name), "pose")
                self.assertIn(answer, str(ended.exception))


class MemoryTest(unittest.TestCase):
    """The cases are the same as in MemoryStateTests.swift, which tests the same rules in the plugin."""

    def test_pressure_is_short_above_ten_percent(self) -> None:
        for text, state in (
                ("some avg10=10.01 avg60=0 avg300=0 total=1\nfull avg10=0.00", SHORT),
                ("some avg10=10.00 avg60=99", ENOUGH), ("full avg10=99.00", UNKNOWN),
                ("some avg10=nan", UNKNOWN), ("some avg10=", UNKNOWN), ("some avg10=101", UNKNOWN),
                ("some avg10=-1", UNKNOWN), ("some avg10=1e1", UNKNOWN), ("", UNKNOWN)):
            self.assertIs(memory_state.from_pressure(text), state, text)

    def test_use_is_short_above_95_percent_without_reclaimable_memory(self) -> None:
        for current, limit, statistics, state in (
                ("96", "100", "", SHORT), ("95", "100", "", ENOUGH), ("96", "100", "inactive_file 5", ENOUGH),
                ("99", "100", "inactive_file 1\ntotal_inactive_file 50", ENOUGH), ("96", "max", "", UNKNOWN),
                ("96", str(1 << 60), "", UNKNOWN), ("x", "100", "", UNKNOWN), ("96", "0", "", UNKNOWN),
                ("99", "100", "inactive_file x", SHORT)):
            self.assertIs(memory_state.from_use(current, limit, statistics), state, (current, limit, statistics))

    def test_all_control_groups_up_to_the_root_count(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)

            def write(path: str, text: str) -> None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="ascii")

            self.assertIs(memory_state.read(root), UNKNOWN)
            write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
            self.assertIs(memory_state.read(root), ENOUGH)
            write("proc/self/cgroup", "0::/user/app\n")
            write("sys/fs/cgroup/user/memory.current", "99\n")
            write("sys/fs/cgroup/user/memory.max", "100\n")
            self.assertIs(memory_state.read(root), SHORT)
            write("proc/self/cgroup", "4:cpu,memory:/app\n0::/user/app\n")
            self.assertIs(memory_state.read(root), ENOUGH)
            write("sys/fs/cgroup/memory/app/memory.usage_in_bytes", "99\n")
            write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "100\n")
            self.assertIs(memory_state.read(root), SHORT)

    def timeline(self, guard: MemoryGuard, drawing: str) -> str:
        """A letter is a second: S short, . enough, ? unknown. The result has a + while the model may be loaded."""
        states = {"S": SHORT, ".": ENOUGH, "?": UNKNOWN}
        return "".join("+" if guard.update(states[each], second) else "-" for second, each in enumerate(drawing))

    def test_a_model_rests_after_short_memory(self) -> None:
        self.assertEqual(self.timeline(MemoryGuard(rest=3), "..SS....??"), "++----++++")
        self.assertEqual(self.timeline(MemoryGuard(rest=3), ".S?..."), "+---++")

    def test_the_rest_is_doubled_if_memory_is_short_again(self) -> None:
        guard = MemoryGuard(rest=2, trial=5, longest_rest=4)
        self.assertEqual(self.timeline(guard, ".S..S....S...."), "+--+----+----+")

    def test_the_rest_is_short_again_after_a_long_time(self) -> None:
        self.assertEqual(self.timeline(MemoryGuard(rest=2, trial=3), ".S......S..."), "+--+++++--++")


class BatteryTest(unittest.TestCase):
    def battery(self, **files: str) -> Battery | None:
        """The battery of a machine with these files, beside that of a mouse."""
        with tempfile.TemporaryDirectory() as root:
            for name, texts in (("BAT0", files), ("mouse", {"type": "Battery", "scope": "Device", "capacity": "1"})):
                folder = Path(root, "sys/class/power_supply", name)
                folder.mkdir(parents=True)
                for file, text in texts.items():
                    (folder / file).write_text(f"{text}\n", encoding="ascii")
            return battery.read(Path(root))

    def test_energy_charge_or_percentage_is_read(self) -> None:
        full = {"type": "Battery", "status": "Discharging"}
        self.assertEqual(self.battery(**full, energy_now="10000000", energy_full="50000000", capacity="99"),
                         Battery(0.2, True, 50))
        self.assertEqual(self.battery(**full, charge_now="1000000", charge_full="4000000", voltage_now="10000000"),
                         Battery(0.25, True, 40))
        self.assertEqual(self.battery(type="Battery", status="Charging", capacity="80"), Battery(0.8, False))
        for files in ({}, {"type": "Mains"}, full, {**full, "capacity": "much"}, {**full, "capacity": "101"}):
            self.assertIsNone(self.battery(**files), files)

    def test_the_target_of_a_battery_is_a_power(self) -> None:
        self.assertEqual(Battery(0.5, True, 50).watts(15), 15)
        self.assertIsNone(Battery(0.5, True).watts(15))

    def test_the_power_has_one_limit_while_a_battery_supplies_the_machine(self) -> None:
        limit = BatteryLimit(15)
        readings = (None, Battery(0.9, False, 50), Battery(0.9, True), Battery(0.9, True, 50), Battery(0.8, True, 48),
                    Battery(0.9, False, 50), Battery(0.8, True, 47))
        self.assertEqual([limit.watts(each) for each in readings], [None, None, None, 15, 15, None, 15])
        self.assertIsNone(BatteryLimit(None).watts(Battery(0.9, True, 50)))

    def test_a_model_stops_below_20_percent_and_returns_at_25_or_while_charging(self) -> None:
        guard = BatteryGuard()
        drawing = [(percent, guard.update(Battery(percent / 100, True), 0)) for percent in (21, 20, 19, 20, 24, 25, 19)]
        self.assertEqual([percent for percent, may_run in drawing if not may_run], [19, 20, 24, 19])
        self.assertTrue(guard.update(Battery(0.05, False), 0))
        self.assertTrue(guard.update(None, 0))

    def test_the_loss_is_measured_between_steps_of_the_charge(self) -> None:
        guard, seen = BatteryGuard(), []
        for now, percent in ((0, 90), (100, 90), (600, 88), (1200, 87), (1500, 87), (1800, 85)):
            guard.update(Battery(percent / 100, True), now)
            seen.append(guard.percent and round(guard.percent, 3))
        # From the first change, at 600 s, 1 % is lost in 600 s, and 3 % in 1200 s.
        self.assertEqual(seen, [None, None, None, 3, 3, 4.5])
        guard.update(Battery(0.86, False), 1600)
        self.assertIsNone(guard.percent)


class TextTest(unittest.TestCase):
    def test_parts_of_a_mask_are_joined_over_rows_and_corners(self) -> None:
        mask = numpy.array([[each == "#" for each in row] for row in ("#.#..", "###..", "...#.", ".....", "##..#")])
        self.assertEqual(sorted(text_lines.components(mask)), [(0, 0, 4, 3), (0, 4, 2, 5), (4, 4, 5, 5)])
        self.assertEqual(text_lines.components(numpy.zeros((3, 3), bool)), [])

    def test_boxes_are_wider_than_their_cores_and_in_the_order_of_reading(self) -> None:
        shares = numpy.zeros((60, 100))
        shares[40:50, 10:90], shares[10:20, 60:80], shares[12:21, 10:40], shares[30:32, 0:50] = 0.9, 0.9, 0.9, 0.9
        shares[52:58, 10:30] = 0.4
        boxes = text_lines.boxes(shares, 2)
        self.assertEqual([(box[0] // 2 < left, box[2] // 2 > right) for box, (left, right) in
                          zip(boxes, ((10, 39), (60, 79), (10, 89)))], [(True, True)] * 3, boxes)
        self.assertEqual(len(boxes), 3, "a thin line and an uncertain one are no text")

    def test_sizes_change_without_a_shift(self) -> None:
        ramp = numpy.tile(numpy.arange(40, dtype=numpy.float32)[None, :, None], (20, 1, 3))
        self.assertEqual(text_lines.reduced(ramp, 2)[0, :3, 0].tolist(), [0.5, 2.5, 4.5])
        larger = text_lines.resized(ramp, 40, 80)
        self.assertEqual((larger.shape, larger[0, 1:4, 0].tolist()), ((40, 80, 3), [0.25, 0.75, 1.25]))

    def test_equal_neighbours_are_one_character_unless_a_blank_divides_them(self) -> None:
        shares = numpy.eye(3)[[1, 1, 0, 1, 2, 2, 0]]
        self.assertEqual(text_lines.decode(shares, ["", "a", "b"], 0.5), "aab")
        self.assertEqual(text_lines.decode(shares * 0.4, ["", "a", "b"], 0.5), "")
        self.assertEqual(text_lines.decode(numpy.eye(3)[[0, 0]], ["", "a", "b"], 0.5), "")

    def test_text_is_drawn_as_it_is(self) -> None:
        drawing = overlay.svg("10,30,50,40 5,2,9,9", "<a & b>\n")
        self.assertIn("&lt;a &amp; b&gt;</text>", drawing)
        self.assertEqual((drawing.count("<rect"), drawing.count("<text")), (2, 1))
        self.assertEqual(overlay.svg("1,2,3,4", "").count("<rect"), 1)
        self.assertIn('width="640" height="360"></svg>', overlay.svg("", ""))


class FakeModel:
    """A model that records its calls."""

    calls: list[str] = []
    gate = threading.Event()

    def __init__(self, fails: float = 0) -> None:
        if fails:
            raise OSError("the file is damaged")
        FakeModel.gate.wait()
        FakeModel.calls.append("load")

    def run(self, picture: Picture) -> dict[str, Any]:
        FakeModel.calls.append(f"run {len(picture.data)}")
        return {"found": True}

    def close(self) -> None:
        FakeModel.calls.append("close")


class HostTest(unittest.TestCase):
    def setUp(self) -> None:
        FakeModel.calls, FakeModel.gate = [], threading.Event()
        self.said: list[str] = []
        self.failures: list[str] = []
        sys.modules["fake_models"] = sys.modules[__name__]

    def host(self, *options: float) -> ModelHost:
        kind = Kind("fake_models", "FakeModel", "fake", options)
        return ModelHost(kind, Picture(b"sample", 1, 1), self.said.append, self.failures.append)

    def test_a_model_has_run_once_before_it_is_loaded(self) -> None:
        host = self.host()
        host.want(True)
        self.assertEqual((host.state, host.run(Picture(b"", 0, 0))), ("loading", None))
        FakeModel.gate.set()
        host.wait()
        self.assertEqual(host.state, "loaded")
        self.assertEqual(host.run(Picture(b"abc", 1, 1)), {"found": True})
        self.assertEqual(FakeModel.calls, ["load", "run 6", "run 3"])
        self.assertEqual(len(host.load_times), 1)

    def test_an_unloaded_model_is_closed_and_does_not_run(self) -> None:
        FakeModel.gate.set()
        host = self.host()
        host.want(True)
        host.wait()
        host.want(False, "memory is short")
        self.assertEqual((host.state, host.run(Picture(b"", 0, 0))), ("unloaded", None))
        self.assertEqual(FakeModel.calls[-1], "close")
        self.assertTrue(self.said[-1].startswith("model unloaded: memory is short"), self.said)
        host.want(True)
        host.wait()
        self.assertEqual((host.state, FakeModel.calls.count("load")), ("loaded", 2))

    def test_a_model_that_is_no_longer_wanted_is_not_kept(self) -> None:
        host = self.host()
        host.want(True)
        host.want(False)
        FakeModel.gate.set()
        host.end()
        self.assertEqual((host.state, FakeModel.calls), ("unloaded", ["load", "run 6", "close"]))

    def test_a_model_that_is_wanted_again_while_it_loads_is_loaded_once(self) -> None:
        host = self.host()
        for is_wanted in (True, False, True):
            host.want(is_wanted)
        FakeModel.gate.set()
        host.wait()
        self.assertEqual((host.state, FakeModel.calls), ("loaded", ["load", "run 6"]))

    def test_a_load_that_fails_is_reported(self) -> None:
        host = self.host(1)
        host.want(True)
        host.wait()
        self.assertEqual(self.failures, ["The model cannot be loaded: the file is damaged"])
        self.assertIsNone(host.run(Picture(b"", 0, 0)))


if __name__ == "__main__":
    unittest.main()
