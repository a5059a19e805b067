"""Tests the examination of machines, and the tasks of a worker."""

import errno
import json
import os
import subprocess
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import LOSSLESS, PATIENCE, TOP, Batch, poison

from render import task
from render.finished import unreported
from render.manifest import Manifest
from render.media.failure import failure_of_file
from render.tool import packed, run_tool


class _Worker:
    """Stand-in for a Dask worker that runs the task with the key task-1."""

    address, name = "tcp://w", "0"

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    def log_event(self, topic: str, message: Any) -> None:
        self.events.append((topic, message))

    def get_current_task(self) -> str:
        return "task-1"


class MachineTests(unittest.TestCase):
    """Examines machines and runs tasks with the files of a rendered film."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)
        cls.source, cls.output = cls.batch.clip("short.mkv"), cls.batch.folder / "out.mkv"
        status, text = cls.batch.run(cls.source, cls.output, "--encoder", LOSSLESS, "--keep", "--workers", "1",
                                     "--verify", "packets", "--segment", "400ms")
        assert status == 0, text
        cls.path = cls.output.with_name("out.mkv.batch") / "spec"
        cls.spec = {**json.loads(cls.path.read_text()), "code": packed(), "is_local": False}

    def fault(self, **changes: Any) -> str | None:
        answer = task.examine_machine({**self.spec, **changes}, SimpleNamespace())
        self.assertTrue(answer["host"])
        return answer["fault"]

    def test_same_machine_has_no_fault(self) -> None:
        self.assertIsNone(self.fault())

    def test_each_fault_is_named(self) -> None:
        job, folder = self.spec["job"], self.batch.folder
        (folder / "other").mkdir(exist_ok=True)
        (folder / "other" / "run").write_text("another run")
        pictures = self.spec["pictures"]
        for changes, words in (
            ({"job": {**job, "source": "/no/such/film"}}, "/no/such/film: No such file"),
            ({"fingerprint": "1-2"}, "is another file there"),
            ({"segments": "/no/such/folder"}, "No such file"),
            ({"segments": str(folder / "other")}, "is another folder there"),
            ({"job": {**job, "versions": {**job["versions"], "avdec_ffv1": "0.1"}}}, "started with 0.1"),
            ({"job": {**job, "versions": {"nosuchelement": "0.1"}}}, "nosuchelement is version none"),
            ({"job": {**job, "reading": ["nosuchdecoder"]}}, "started with nosuchdecoder"),
            ({"pictures": {**pictures, "filter": [0]}}, "makes other pictures there"),
            ({"pictures": {**pictures, "decoder": [0]}}, "is decoded to other pictures there"),
        ):
            self.assertIn(words, self.fault(**changes))
        self.assertEqual(sorted(path.name for path in (folder / "other").iterdir()), ["run"])

    def render(self, spec: str) -> dict[str, Any]:
        with mock.patch("distributed.get_worker", _Worker):
            return task.render_segment(spec, 0, "seek")

    def changed(self, **changes: Any) -> str:
        return json.dumps({**self.spec, **changes})

    def test_worker_without_the_folder_is_unfit(self) -> None:
        failure = self.render(self.changed(segments="/no/such/folder"))["failure"]
        self.assertEqual(failure["kind"], "unfit")
        self.assertIn("No such file", failure["text"])

    def test_worker_without_write_permission_is_unfit_without_a_retry(self) -> None:
        for number in (errno.EROFS, errno.EACCES):
            error = OSError(number, os.strerror(number), "/net/film.batch")
            with mock.patch("render.task._PATIENCE_SECONDS", 0), \
                    mock.patch("render.task.fingerprint", mock.Mock(side_effect=error)):
                failure = self.render(self.changed())["failure"]
            self.assertEqual((failure["kind"], failure["text"]), ("unfit", f"/net/film.batch: {os.strerror(number)}"))

    def test_transient_error_of_a_shared_folder_does_not_make_a_worker_unfit(self) -> None:
        mark, errors = self.spec["fingerprint"], [OSError(errno.ESTALE, "Stale file handle")] * 2
        with mock.patch("render.task._RETRY_SECONDS", 0), \
                mock.patch("render.task.fingerprint", mock.Mock(side_effect=[*errors, mark, mark])):
            self.assertEqual(self.render(self.changed())["result"]["frames"], 10)
        with mock.patch("render.task._PATIENCE_SECONDS", 0), \
                mock.patch("render.task.fingerprint", mock.Mock(side_effect=errors)):
            self.assertEqual(self.render(self.changed())["failure"]["kind"], "media")

    def test_code_in_the_folder_of_the_film_is_not_imported(self) -> None:
        """Code in the current folder of the program is not imported either."""
        folder = self.path.parent / "code"
        trace = poison(folder)
        self.assertIsNone(self.fault())
        self.assertEqual(self.render(self.changed())["result"]["frames"], 10)
        run = subprocess.run([TOP / "pipelines" / "batch", "--dry-run", self.source, self.output], cwd=folder,
                             env=self.batch.environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertFalse(trace.exists())

    def test_process_that_ends_before_its_report_leaves_its_finished_segment(self) -> None:
        """Ctrl-C also ends the process of a segment. The .seg file and the note stay, so that --resume finds them."""
        for suffixes, are_kept in (((".part", ".json"), False), ((".seg", ".json"), True)):
            files: list[Path] = []

            def end(_code: str, _name: str, arguments: dict[str, Any], _on_frames: Any) -> dict[str, Any]:
                files.extend(Path(arguments["path"] + suffix) for suffix in suffixes)
                for file in files:
                    file.touch()
                return {"failure": {"kind": "crash", "text": "The process ended with signal SIGINT."}}

            with mock.patch("render.task.run_tool", end):
                self.assertIn("failure", self.render(self.changed(is_local=True)))
            self.assertEqual([file.exists() for file in files], [are_kept] * 2)

    def test_worker_that_joins_later_is_examined(self) -> None:
        self.assertEqual(self.render(self.changed())["result"]["frames"], 10)
        failure = self.render(self.changed(pictures={"filter": [0], "decoder": [0]}))["failure"]
        self.assertEqual(failure["kind"], "unfit")
        self.assertIn("makes other pictures there", failure["text"])

    def test_worker_that_joins_before_the_verification_is_examined(self) -> None:
        film = {"path": str(self.output), "shares": [[]]}
        for changes, key in ((film, "result"), ({**film, "pictures": {"filter": [0], "decoder": [0]}}, "failure")):
            with mock.patch("distributed.get_worker", _Worker):
                answer = task.watch_film(self.changed(**changes), 0, "seek")
            self.assertIn(key, answer)
        self.assertEqual(answer["failure"]["kind"], "unfit")
        self.assertIn("makes other pictures there", answer["failure"]["text"])

    def test_tasks_report_that_they_begin(self) -> None:
        """The task reports its begin even if it renders no frame, as in this test, in which the source has changed."""
        for function in (task.render_segment, task.watch_film):
            worker = _Worker()
            with mock.patch("distributed.get_worker", lambda worker=worker: worker):
                function(self.changed(fingerprint="1-2"), 0, "seek")
            self.assertEqual(worker.events, [(task.BEGUN_TOPIC, {"key": "task-1", "worker": "tcp://w"})])

    def test_task_without_its_worker_completes_only_a_segment_of_the_current_job(self) -> None:
        job, segments = self.batch.folder / "job", self.batch.folder / "alone"
        segments.mkdir()
        for content, is_completed in ((self.spec["job"]["id"], True), ("another job", False)):
            job.write_text(content)
            path = segments / ("000001-" + ("1" if is_completed else "0") * 12)
            arguments = {"job": self.spec["job"], "index": self.spec["index"], "number": 1, "mode": "seek",
                         "path": str(path), "outlives": {"file": str(job), "content": self.spec["job"]["id"]}}
            process = subprocess.Popen(
                ["/usr/bin/python3", "-m", "render.media", "segment"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env=self.batch.environment, text=True)
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            if is_completed:
                process.stdin.close()
            # In the other case, standard input stays open, as if the worker still waited for the result.
            process.stdout.close()
            process.wait(timeout=PATIENCE)
            process.stdin.close()
            self.assertEqual(path.with_suffix(".seg").exists(), is_completed)
        found = unreported(segments, self.spec["job"]["id"], set())
        self.assertEqual([(result.number, result.file) for result in found], [(1, "000001-111111111111.seg")])

    def test_file_that_cannot_be_written_is_named(self) -> None:
        arguments = {"job": self.spec["job"], "index": self.spec["index"], "number": 0, "mode": "seek"}
        failure = run_tool(self.spec["code"], "segment", {**arguments, "path": "/no/such/folder/0"})["failure"]
        self.assertEqual((failure["kind"], failure["text"]),
                         ("media", "/no/such/folder: No such file or directory"))

    def test_full_disk_has_a_kind_of_its_own(self) -> None:
        failure = failure_of_file(OSError(errno.ENOSPC, "No space left on device"), "/disk/0")
        self.assertEqual((failure.kind, failure.text), ("space", "/disk/0: No space left on device"))

    def test_source_that_changes_during_the_run_is_noticed(self) -> None:
        for is_local in (False, True):
            failure = self.render(self.changed(fingerprint="1-2", is_local=is_local))["failure"]
            self.assertEqual(failure["kind"], "unfit")
            self.assertIn("was changed", failure["text"])


class DecoderTests(unittest.TestCase):
    """Simulates a machine that selects another decoder for the rendered video."""

    def test_decoders_of_equal_pictures_may_have_different_names(self) -> None:
        batch = Batch()
        self.addCleanup(batch.close)
        output = batch.folder / "out.mkv"
        status, text = batch.run(batch.clip("short.mkv"), output, "--encoder", "vp8enc deadline=1 keyframe-max-dist=5",
                                 "--keep", "--workers", "1", "--filter", "identity")
        self.assertEqual(status, 0, text)
        folder = output.with_name("out.mkv.batch")
        spec = {**json.loads((folder / "spec").read_text()), "code": packed(), "is_local": False}
        self.assertIn("vp8dec", spec["job"]["versions"])
        results = Manifest(folder / "manifest").results
        with mock.patch.dict(os.environ, {"GST_PLUGIN_FEATURE_RANK": "vp8dec:NONE"}):
            rehearsed = run_tool(spec["code"], "rehearse", {
                "job": spec["job"], "index": spec["index"], "first": 0, "count": 5, "mode": "seek",
                "path": str(batch.folder / "rehearsed")})
            self.assertIn("avdec_vp8", rehearsed["result"]["versions"])
            self.assertIsNone(task.examine_machine(spec, _Worker())["fault"])
            watched = run_tool(spec["code"], "watch", {
                "path": str(output), "parts": [{"number": 0, "first": 0, "before": 0, "count": 8}]})
            self.assertEqual(watched["result"], {"0": results[0].opening})
        other = {**spec, "pictures": {**spec["pictures"], "encoded": "0"}}
        fault = task.examine_machine(other, _Worker())["fault"]
        self.assertIn("the rendered video is decoded to other pictures there; GST_PLUGIN_FEATURE_RANK", fault)
        self.assertIn("--verify packets", fault)
        self.assertIsNone(task.examine_machine({**other, "sample": None}, _Worker())["fault"])
        # Another user may replace the sample by a file that selects another decoder.
        sample = Path(spec["sample"]["path"])
        sample.write_bytes((folder / "segments" / results[0].file).read_bytes())
        self.assertEqual(task.examine_machine(spec, _Worker())["fault"],
                         f"{sample} cannot be decoded: it is not the file that was rendered.")


if __name__ == "__main__":
    unittest.main()
