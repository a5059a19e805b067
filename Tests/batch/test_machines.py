"""The examination of each machine, and what a worker does for a segment."""

import errno
import json
import os
import subprocess
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from support import LOSSLESS, Batch

from render import task
from render.finished import unreported
from render.media.failure import failure_of_file
from render.tool import run_tool


class MachineTests(unittest.TestCase):
    """Examination of each machine, with the files of a film."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)
        cls.source, cls.output = cls.batch.clip("short.mkv"), cls.batch.folder / "out.mkv"
        status, text = cls.batch.run(cls.source, cls.output, "--encoder", LOSSLESS, "--keep", "--workers", "1",
                                     "--verify", "packets", "--segment", "400ms")
        assert status == 0, text
        cls.path = cls.output.with_name("out.mkv.batch") / "spec"
        cls.spec = {**json.loads(cls.path.read_text()), "is_local": False}

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

    def render(self, spec: Path) -> dict[str, Any]:
        worker = SimpleNamespace(address="tcp://w", name="0", log_event=lambda *_: None)
        with mock.patch("distributed.get_worker", lambda: worker):
            return task.render_segment(str(spec), 0, "seek")

    def changed(self, **changes: Any) -> Path:
        path = self.batch.folder / "changed-spec"
        path.write_text(json.dumps({**self.spec, **changes}))
        return path

    def test_worker_without_the_folder_is_unfit(self) -> None:
        failure = self.render(Path("/no/such/folder/spec"))["failure"]
        self.assertEqual(failure["kind"], "unfit")
        self.assertIn("No such file", failure["text"])

    def test_worker_that_cannot_write_the_folder_is_unfit_at_once(self) -> None:
        for number in (errno.EROFS, errno.EACCES):
            error = OSError(number, os.strerror(number), "/net/film.batch")
            with mock.patch("render.task._PATIENCE_SECONDS", 0), \
                    mock.patch("render.task.fingerprint", mock.Mock(side_effect=error)):
                failure = self.render(self.changed())["failure"]
            self.assertEqual((failure["kind"], failure["text"]), ("unfit", f"/net/film.batch: {os.strerror(number)}"))

    def test_error_of_a_shared_folder_that_passes_does_not_make_a_worker_unfit(self) -> None:
        mark, errors = self.spec["fingerprint"], [OSError(errno.ESTALE, "Stale file handle")] * 2
        with mock.patch("render.task._RETRY_SECONDS", 0), \
                mock.patch("render.task.fingerprint", mock.Mock(side_effect=[*errors, mark, mark])):
            self.assertEqual(self.render(self.changed())["result"]["frames"], 10)
        with mock.patch("render.task._PATIENCE_SECONDS", 0), \
                mock.patch("render.task.fingerprint", mock.Mock(side_effect=errors)):
            self.assertEqual(self.render(self.changed())["failure"]["kind"], "media")

    def test_worker_that_joins_later_is_examined(self) -> None:
        self.assertEqual(self.render(self.changed())["result"]["frames"], 10)
        failure = self.render(self.changed(pictures={"filter": [0], "decoder": [0]}))["failure"]
        self.assertEqual(failure["kind"], "unfit")
        self.assertIn("makes other pictures there", failure["text"])

    def test_worker_that_verifies_with_another_decoder_is_unfit(self) -> None:
        job = {**self.spec["job"], "verify": True}
        for decoders, is_fit in ((["avdec_ffv1"], True), (["nosuchdecoder"], False)):
            answer = self.render(self.changed(job={**job, "decoders": decoders}))
            self.assertEqual("result" in answer, is_fit, answer)
            watched = run_tool(self.spec["code"], "watch", {
                "path": str(self.output), "parts": [], "decoders": decoders})
            self.assertEqual("result" in watched, is_fit, watched)
        for failure in (answer["failure"], watched["failure"]):
            self.assertEqual(failure["kind"], "unfit")
            self.assertIn("is decoded by avdec_ffv1 here; the job was started with nosuchdecoder", failure["text"])

    def test_task_without_its_worker_completes_the_segment_of_its_job_only(self) -> None:
        job, segments = self.batch.folder / "job", self.batch.folder / "alone"
        segments.mkdir()
        for content, is_completed in ((self.spec["job"]["id"], True), ("another job", False)):
            job.write_text(content)
            path = segments / f"alone-{is_completed}"
            arguments = {"job": self.spec["job"], "index": self.spec["index"], "number": 1, "mode": "seek",
                         "path": str(path), "outlives": {"file": str(job), "content": self.spec["job"]["id"]}}
            process = subprocess.Popen(
                ["/usr/bin/python3", "-m", "render.media", "segment"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": self.spec["code"]}, text=True)
            process.stdin.write(json.dumps(arguments) + "\n")
            process.stdin.flush()
            if is_completed:
                process.stdin.close()
            # Otherwise the worker still waits for a result that nobody wants.
            process.stdout.close()
            process.wait(timeout=60)
            process.stdin.close()
            self.assertEqual(path.with_suffix(".seg").exists(), is_completed)
        found = unreported(segments, self.spec["job"]["id"], set())
        self.assertEqual([(result.number, result.file) for result in found], [(1, "alone-True.seg")])

    def test_file_that_cannot_be_written_is_named(self) -> None:
        arguments = {"job": self.spec["job"], "index": self.spec["index"], "number": 0, "mode": "seek"}
        failure = run_tool(self.spec["code"], "segment", {**arguments, "path": "/no/such/folder/0"})["failure"]
        self.assertEqual((failure["kind"], failure["text"]),
                         ("media", "/no/such/folder/0.part: No such file or directory"))

    def test_full_disk_has_a_kind_of_its_own(self) -> None:
        failure = failure_of_file(OSError(errno.ENOSPC, "No space left on device"), "/disk/0")
        self.assertEqual((failure.kind, failure.text), ("space", "/disk/0: No space left on device"))

    def test_source_that_changes_during_the_run_is_noticed(self) -> None:
        for is_local in (False, True):
            failure = self.render(self.changed(fingerprint="1-2", is_local=is_local))["failure"]
            self.assertEqual(failure["kind"], "unfit")
            self.assertIn("was changed", failure["text"])


if __name__ == "__main__":
    unittest.main()
