"""Tests the order of runs, early stops, resumption, and the files of the results."""
import os
import shutil
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import context
import command
import fidelity
import machine
import report
import simulation
from figures import LEAST_FOR_P99
from heat import HeatModel
from plan import Looks, Plan, PlanError
from results import Results
from runner import Runner
from session import Session
from simulation import Memory
from store import Store, StoreError, locked

PLAN = Path(context.TOP) / "Benchmarks/plans/4k25.json"
# Time in s that capability and pictures take before the rows, by form. `short` has fewer and smaller workloads.
BEFORE_THE_ROWS = {"whole": 90, "short": 30}


class Killed(BaseException):
    """Simulates the end of the process."""


class Counting:
    """A simulated machine that records the order of its runs, and raises `Killed` after `dies_after` runs."""

    def __init__(self, dies_after=10 ** 9, **changes):
        self.machine, self.runs, self.dies_after = simulation.Machine(1, **changes), [], dies_after

    def measure(self, row, is_after):
        if len(self.runs) >= self.dies_after:
            raise Killed
        self.runs.append((row.name, is_after))
        return self.machine.measure(row, is_after)


def rows():
    return [simulation.row("noise", is_noise=True), simulation.row("one", primary=("cpu-frame",))]


class Sessions(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def test_noise_comes_first_in_blocks_that_alternate(self):
        counting = Counting(effects={"one": 1.2})
        Session(rows(), counting.measure, Memory()).run()
        self.assertEqual([run[1] for run in counting.runs[:8]], [False, True, True, False, True, False, False, True])
        self.assertEqual([run[0] for run in counting.runs], ["noise"] * 40 + ["one"] * 40)

    def test_a_clear_row_stops_and_an_unclear_one_goes_on(self):
        clear, unclear = Counting(effects={"one": 1.2}), Counting(effects={"one": 1.008})
        for counting in (clear, unclear):
            Session(rows(), counting.measure, Memory()).run()
        self.assertEqual(len(clear.runs), 80)
        self.assertEqual(len(unclear.runs), 40 + 88)

    def test_pairs_of_a_block_are_neighbours(self):
        """In ABBA and in BAAB, the n-th A and the n-th B form a pair, so that a pair has one run of each side."""
        numbers = iter(range(100))
        session = Session(rows()[:1], lambda *_: {"figures": {"cpu-frame": 1.0 + next(numbers)}}, Memory(),
                          Looks((4,), (1.0,)))
        session.run()
        self.assertEqual(session.pairs_of(rows()[0], "cpu-frame"), [[1.0, 4.0, 6.0, 7.0], [2.0, 3.0, 5.0, 8.0]])

    def test_time_ends_rows_after_the_first_look(self):
        counting = Counting(effects={"one": 1.008})
        Session(rows(), counting.measure, Memory(), seconds=0).run()
        self.assertEqual(len(counting.runs), 80)

    def test_killed_session_continues_with_whole_blocks(self):
        """The 42 runs are ten complete blocks and two runs. Only the two runs are repeated."""
        first, second = Counting(dies_after=42), Counting(effects={"one": 1.2})
        with self.assertRaises(Killed):
            Session(rows(), first.measure, Store(self.folder, {})).run()
        session = Session(rows(), second.measure, Store(self.folder, {}))
        session.run()
        self.assertEqual([run[0] for run in second.runs], ["one"] * 40)
        self.assertEqual(session.pairs(rows()[0]), 20)

    def test_half_written_and_damaged_files_are_not_read(self):
        store = Store(self.folder, {})
        for index in range(3):
            store.write(f"blocks/one/{index:03}", {"runs": [], "seconds": 1})
        damaged = self.folder / "blocks/one/002.json"
        damaged.write_text(damaged.read_text()[:10])
        (self.folder / "blocks/one/.new-77.json").write_text('{"runs"')
        self.assertEqual(len(Store(self.folder, {}).blocks("one")), 2)
        self.assertEqual(sorted(os.listdir(self.folder / "blocks/one")), ["000.json", "001.json"])

    def test_results_of_another_plan_are_refused(self):
        Store(self.folder, {"plan": "one"})
        with self.assertRaisesRegex(StoreError, "another plan .then one, now two.*--fresh"):
            Store(self.folder, {"plan": "two"})

    def test_results_of_another_instrument_are_refused(self):
        """A folder belongs to one version of the measuring and the measured programs, but to any version of reports."""
        facts = dict.fromkeys(("plugin", "processor", "system", "GStreamer", "x264enc"), "one")
        self.assertEqual(set(machine.identity(facts)), {*facts, "instrument"})
        before = machine.instrument()
        read = Path.read_bytes
        for name, is_same in (("child.py", False), ("counter.c", False), ("requests.h", False), ("page.py", True),
                              ("tables.py", True)):
            with unittest.mock.patch.object(Path, "read_bytes",
                                            lambda path: read(path) + b" " * (path.name == name)):
                self.assertEqual(machine.instrument() == before, is_same, name)

    def test_failed_runs_are_repeated_and_then_reported(self):
        left = [2]

        def measure(row, is_after):
            left[0] -= 1
            return {"error": "no camera"} if left[0] >= 0 or row.name == "one" else {"figures": {"cpu-frame": 1.0}}

        session = Session(rows(), measure, Memory(), Looks((2,), (1.0,)))
        session.run()
        self.assertEqual(session.pairs(rows()[0]), 2)
        self.assertEqual(session.failures, {"one": "no camera"})
        # Two runs of the noise row failed before its block was complete. All three attempts at the other row failed.
        self.assertEqual([len(session.failed[name]) for name in ("noise", "one")], [2, 3])

    def test_failed_runs_are_kept(self):
        left = [1]

        def measure(*_):
            left[0] -= 1
            return {"error": "no camera"} if left[0] >= 0 else {"figures": {"cpu-frame": 1.0}}

        Session(rows()[:1], measure, Store(self.folder, {}), Looks((2,), (1.0,))).run()
        again = Session(rows()[:1], measure, Store(self.folder, {}), Looks((2,), (1.0,)))
        self.assertEqual(again.failed["noise"], [{"after": False, "error": "no camera", "block": 0}])

    def test_pairs_after_a_look_do_not_change_its_evidence(self):
        """After 24 pairs, between two looks, the statistics are still those of the first look at 20 pairs."""
        session = Session(rows(), simulation.Machine(1).measure, Memory())
        for row in rows():
            for _ in range(12):
                session._add_block(row)
        self.assertEqual({found.pairs for found in session.evidence().values()}, {20})

    def test_second_command_in_a_folder_is_refused(self):
        with locked(self.folder):
            with self.assertRaisesRegex(StoreError, "Another command measures"):
                with locked(self.folder):
                    self.fail("both have the lock")
        with locked(self.folder):
            pass

    def test_folder_that_is_removed_ends_the_command(self):
        """The lock is removed together with the folder, so a second command may lock a new folder of this name."""
        folder = self.folder / "results"
        with locked(folder) as lock:
            store = Store(folder, {}, lock)
            store.write("blocks/one/000", {})
            shutil.rmtree(folder)
            with self.assertRaisesRegex(StoreError, "was removed while this command measured"):
                store.write("blocks/one/001", {})
            self.assertFalse(folder.exists())
            with locked(folder) as other:
                Store(folder, {}, other).write("blocks/one/000", {"of": "the other"})
                with self.assertRaisesRegex(StoreError, "was removed"):
                    store.write("blocks/one/001", {})
            self.assertEqual(len(Store(folder, {}).blocks("one")), 1)

    def test_forms_fit_their_time(self):
        """Rows without a fixed length share the remaining time, which suffices for all pairs of the first look."""
        plan = Plan(PLAN)
        for name, before in BEFORE_THE_ROWS.items():
            form = plan.form(name)
            workload = plan.rows(form, form.settings["main-workloads"][0])[0].workload
            results = Results(plan, form, {}, Memory())
            results.capability = {workload: {"extra": 0.4}}
            rows = plan.rows(form, workload)
            least, most = form.settings["fit"]["least"], form.settings["fit"]["most"]
            left = form.minutes * 60 - before
            frames = results.runner.frames = results.fitted(rows, left, least, most)
            fixed = {row.name for row in rows if "frames" in form.settings["row-run"].get(row.name, {})}
            heated = {row.name for row in rows if "heat" in row.primary}
            self.assertEqual(set(frames), {row.name for row in rows} - fixed - heated)
            self.assertTrue(least <= min(frames.values()) <= most, frames)
            seconds = sum(map(results.seconds, rows))
            self.assertTrue(left - 60 < seconds <= left, (name, seconds, left))
            self.assertEqual(set(results.fitted(rows, 60, least, most).values()), {least})

    def test_rows_with_a_claim_about_p99_receive_enough_frames(self):
        """Even if all frames are dropped while the receiver is slow, enough frames remain for P99."""
        plan, rows = Plan(PLAN), []
        form = plan.form("whole")
        runner = Runner(plan, form.settings, "")
        for row in plan.rows(form, "4k25"):
            if "age-p99" not in row.main_metrics:
                continue
            rows.append(row.name)
            settings = runner.row_settings(row, row.after)
            slow, rate = settings["slow"], settings["rate"]
            kept = sum(number / rate % slow["period"] < slow["period"] - slow["span"]
                       for number in range(settings["warm-frames"], settings["frames"]))
            self.assertGreaterEqual(kept, LEAST_FOR_P99)
        self.assertEqual(rows, ["backpressure"])

    def test_workload_without_cpu_ends_the_command(self):
        """The command ends if the normal CPU usage cannot be measured, because no other figure can replace it."""
        results, row = self.heated({"error": "no element"})
        with self.assertRaisesRegex(PlanError, "heated with everything off cannot be measured: no element"):
            results.normal_load(row, [])
        with self.assertRaisesRegex(PlanError, "requires the CPU"):
            Runner(Plan(PLAN), {}, "").play("heated", ("thermal",))

    def heated(self, result):
        """Returns the results of a form whose runs all return `result`, and the form's row about heat."""
        plan = Plan(PLAN)
        results = Results(plan, plan.form("whole"), {}, Memory())
        results.runner.play = unittest.mock.Mock(return_value=result)
        return results, next(row for row in plan.rows(results.form, "4k25") if row.name == "thermal")

    def test_heat_refers_to_runs_of_the_same_length(self):
        """The additional runs are as long as the runs with everything off: 18 simulated minutes after a warm-up."""
        results, row = self.heated({"figures": {"cpu": 0.4}})
        self.assertEqual(results.normal_load(row, []), 0.4)
        settings = results.runner.settings_of(row.workload, (), {})
        played = results.runner.play.call_args
        seconds = (played.kwargs["frames"] - settings["warm-frames"]) / settings["rate"]
        self.assertAlmostEqual(seconds * settings["heat"]["minutes-per-second"], HeatModel().minutes, delta=0.2)
        self.assertEqual(played.args, ("heated", ()))

    def test_heat_follows_a_machine_that_drifts(self):
        """After some blocks, runs with everything off use 20 % more CPU. The heat model then refers to these runs."""
        results, row = self.heated({"figures": {"cpu": 0.4}})
        slow, fast = [{"load": 0.48}] * 2, [{"load": 0.4}] * 2
        self.assertEqual(results.normal_load(row, slow), 0.4)
        self.assertEqual(results.normal_load(row, slow * 3), 0.48)
        self.assertEqual(results.normal_load(row, slow * 6 + fast * 3), 0.4)
        self.assertEqual(results.runner.play.call_count, 3)

    def test_rows_that_were_left_out_are_compared_later(self):
        """A command with --rows compares the pictures of only these rows. A later command compares the other rows."""
        plan = Plan(PLAN)
        found = Results(plan, plan.form("short"), {}, Store(self.folder, {}))
        rows = plan.rows(plan.form("short"), "720p25-ntsc")
        runner = found.runner
        runner.play = unittest.mock.Mock()
        runner.play.return_value = {"raw": ["a"], "coded": ["b"], "psnr": 50.0}
        self.assertEqual([one["row"] for one in found._compared(rows[:2])], ["noise", "pool"])
        played = runner.play.call_count
        self.assertEqual([one["row"] for one in found._compared(rows)], [row.name for row in rows])
        self.assertGreater(runner.play.call_count, played)
        played = runner.play.call_count
        self.assertEqual(len(found._compared(rows)), len(rows))
        self.assertEqual(runner.play.call_count, played)

    def test_pictures_that_could_not_be_compared_are_played_again(self):
        plan = Plan(PLAN)
        found = Results(plan, plan.form("short"), {}, Store(self.folder, {}))
        runner = found.runner
        runner.play = unittest.mock.Mock()
        runner.play.return_value = {"error": "no EOS"}
        rows = plan.rows(plan.form("short"), "720p25-ntsc")[:1]
        self.assertEqual(found._compared(rows), [{"row": "noise", "error": "no EOS"}])
        self.assertIsNone(found.store.read("fidelity"))

    def test_runs_of_a_plugin_that_was_replaced_are_not_kept(self):
        """The plugin is replaced during the third block, so only two blocks are kept."""
        digests = [{"plugin": "a", "instrument": "b"}] * 2 + [{"plugin": "c", "instrument": "b"}]
        left = iter(digests)
        store = Store(self.folder, {})
        session = Session([simulation.row("noise", is_noise=True)], simulation.Machine(1).measure, store,
                          check=lambda: command.expect_same(digests[0], next(left)))
        with self.assertRaisesRegex(StoreError, "Replaced while this command measured: plugin[.]"):
            session.run()
        self.assertEqual(len(store.blocks("noise")), 2)

    def test_errors_are_measured_again(self):
        plan = Plan(PLAN)
        found = Results(plan, plan.form("short"), {}, Store(self.folder, {}))
        self.assertEqual(found._kept("soak-1", lambda: {"error": "no port"}), {"error": "no port"})
        self.assertEqual(found._kept("soak-1", lambda: {"figures": {}}), {"figures": {}})
        self.assertEqual(found._kept("soak-1", lambda: {"figures": {"cpu": 1}}), {"figures": {}})

    def test_reports_have_the_command_without_folders(self):
        with unittest.mock.patch("sys.argv", ["ab", "--form", "short", "--rows", "pool,all", "--soak", "30", "--folder",
                                              "/a", "--plugin-dir", "/b", "--markdown", "/c/x.md"]):
            self.assertEqual(command.command_line(command.parse()), "Benchmarks/ab 4k25 --form short --rows pool,all "
                             "--soak 30 --markdown docs/results-4k25.md")

    def test_results_of_a_form_that_is_measured_are_not_touched(self):
        """The report of a form changes no files of a form that another command measures, not even unfinished files."""
        plan = Plan(PLAN)
        folder = self.folder / "4k25-short"
        Store(folder, {}).write("workload", "4k25")
        being_written = folder / ".new-7.json"
        being_written.write_text("")
        options = unittest.mock.Mock(form="whole", folder=self.folder / "4k25-whole")
        with locked(folder):
            self.assertEqual(command._others(options, plan, {}, {}), [])
            self.assertTrue(being_written.exists())

    def test_report_does_not_accept_a_long_run(self):
        with unittest.mock.patch("sys.argv", ["ab", "--report-only", "--soak", "30"]), \
                unittest.mock.patch("sys.stderr"), self.assertRaises(SystemExit):
            command.parse()

    def test_different_pictures_change_the_status(self):
        same = {"row": "a", "raw": True, "coded": True, "psnr": [50.0, 50.0]}
        self.assertEqual(fidelity.differences([same]), [])
        self.assertEqual(fidelity.differences([same | {"raw": False}, same | {"psnr": [50.0, 49.0]},
                                               {"row": "b", "error": "no EOS"}]), ["a", "a", "b"])

    def test_every_side_of_the_plan_has_a_line(self):
        plan = Plan(PLAN)
        values = {"frames": 1, "port": 1, "machine": "m", "folder": "f"}
        for form in plan.data["forms"]:
            for row in plan.rows(plan.form(form), "1080p25-ntsc", "1080p25"):
                before, after = (plan.launch_line(row.workload, side, values) for side in (row.before, row.after))
                self.assertEqual(before == after, row.before == row.after or set(row.after) ^ set(row.before) <= {
                    "spans", "uncounted"}, row.name)

    def test_mistakes_in_a_plan_are_named(self):
        text = PLAN.read_text("utf-8")
        for old, new, answer in (
                ('"metric": "cpu-frame", "ratio": 0.92', '"metric": "cup", "ratio": 0.92', "about 'cup'"),
                ('"tau": 10', '"tau": 10, "horizon": 90', "horizon of the heat model is 60"),
                ('"rows": ["noise", "pool"', '"rows": ["noise", "pond"', "'pond' names no switch"),
                ('"slots"', '"slot"', "no member 'slots'"), ('{', '', "cannot be read")):
            path = self.folder / "plan.json"
            path.write_text(text.replace(old, new, 1 if old == "{" else -1), "utf-8")
            with self.assertRaisesRegex(PlanError, answer):
                plan = Plan(path)
                plan.rows(plan.form("short"), "1080p25-ntsc")

    def test_reports_keep_the_sections_of_other_forms(self):
        class Results:
            plan = type("", (), {"name": "p", "data": {"forms": {"whole": {}, "short": {}}}})
            form = type("", (), {"name": "short"})

        with unittest.mock.patch("report.section", lambda results: f"figures of {results.form.name}"):
            text = report.updated(report.replaced("", "fast instrument", "check"), Results)
            Results.form.name = "whole"
            text = report.updated(text, Results)
            again = report.updated(text, Results)
        self.assertEqual(text, again)
        counts = [text.count(words) for words in ("figures of short", "figures of whole", "# Results")]
        self.assertEqual(counts, [1, 1, 1])
        # The sections of the forms are in the order of the plan, although `short` was measured first.
        places = [text.index(words) for words in ("# Results", "figures of whole", "figures of short", "check")]
        self.assertEqual(places, sorted(places))


if __name__ == "__main__":
    unittest.main()
