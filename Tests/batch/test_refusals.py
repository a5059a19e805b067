"""Tests errors before rendering starts, and filters that depend on other frames."""

import shlex
import unittest

from support import LOSSLESS, Batch, frame_sums

from playlists import Host, playlists
from render.tool import packed, run_tool


class RefusalTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        # No scheduler listens at the address in these tests, so use a short timeout.
        cls.batch.environment["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "1s"
        cls.source = cls.batch.clip("odd.mkv")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.batch.close()

    def test_each_wrong_option_has_its_message_and_leaves_no_files(self) -> None:
        output = self.batch.folder / "out.mkv"
        for options, words in (
            (("--encoder", "nosuchencoder"), 'no element "nosuchencoder"'),
            (("--filter", "ntscfilter nosuch=1"), 'no property "nosuch"'),
            (("--filter", "deinterlace"), "With --lead-in 2s each segment begins 2 s earlier"),
            (("--filter", "agingtv"), "its scratches depend on chance"),
            (("--filter", "burn ! edgetv"), "depends on the frames before it"),
            (("--scheduler", "tcp://127.0.0.1:1"), "Dask cannot connect to tcp://127.0.0.1:1"),
            (("--encoder", "x264enc pass=pass1"), "needs the whole film at once"),
            (("--preset", "no-such-preset"), "the presets are bad-tracking, black-and-white-set,"),
        ):
            status, text = self.batch.run(self.source, output, *options)
            self.assertEqual(status, 1, f"{options}: {text}")
            self.assertIn(words, text)
            self.assertNotIn("Traceback", text)
        self.assertEqual([path.name for path in self.batch.folder.iterdir()], ["odd.mkv"])

    def test_name_with_a_hyphen_is_explained(self) -> None:
        for names in (("-film.mp4", "out.mkv"), (str(self.source), "-out.mkv"), ("--film.webm", "out.mkv")):
            status, text = self.batch.run(*names)
            name = next(name for name in names if name.startswith("-"))
            self.assertEqual(status, 2)
            self.assertIn(f"{name} begins with a hyphen, as an option does; write ./{name} for a file\n", text)
        self.assertIn("invalid choice", self.batch.run(self.source, "out.mkv", "--verify", "x")[1])

    def test_playlist_runs_nothing_and_connects_to_no_host(self) -> None:
        for kind, text in playlists(self.batch.folder / "owned"):
            with self.subTest(text), Host() as host:
                source = self.batch.folder / "playlist.mkv"
                source.write_text(text.replace("HOST", host.address))
                self.addCleanup(source.unlink, missing_ok=True)
                status, text = self.batch.run(source, self.batch.folder / "out.mkv")
                decoded = run_tool(packed(), "scan", {
                    "source": str(source), "index_path": "/dev/null", "by_decoding": True})
                watched = run_tool(packed(), "watch", {"path": str(source), "parts": []})
                self.assertFalse(host.was_asked(), text)
                self.assertFalse((self.batch.folder / "owned").exists(), text)
                self.assertEqual((status, {*decoded, *watched}), (1, {"failure"}), text)
                self.assertIn(f"only {kind}", text)

    def test_size_that_x264_cannot_encode_is_refused_with_two_alternatives(self) -> None:
        output = self.batch.folder / "odd-out.mkv"
        status, text = self.batch.run(self.source, output)
        self.assertEqual(status, 1, text)
        self.assertRegex(text, "^x264enc does not encode I420 of the odd size 161x91. Use an output .* .webm, or 4:4:4")
        self.assertEqual(text.count("\n"), 1, text)
        for path, options in ((output, shlex.split(text.rpartition("4:4:4: ")[2])), (output.with_suffix(".webm"), ())):
            status, text = self.batch.run(self.source, path, "--dry-run", *options)
            self.assertEqual(status, 0, text)

    def test_container_that_cannot_hold_the_video_is_refused(self) -> None:
        status, text = self.batch.run(self.source, self.batch.folder / "out.mp4", "--encoder", LOSSLESS)
        self.assertEqual(status, 1)
        self.assertIn("mp4mux cannot hold the video of avenc_ffv1", text)

    def test_dry_run_prints_the_plan_and_writes_nothing(self) -> None:
        status, text = self.batch.run(self.source, self.batch.folder / "dry.mkv", "--dry-run", "--encoder", LOSSLESS)
        self.assertEqual(status, 0, text)
        self.assertIn("101 frames;", text)
        self.assertEqual(list(self.batch.folder.glob("dry*")), [])


class LeadInTests(unittest.TestCase):
    def test_filter_with_a_memory_is_exact_with_a_lead_in(self) -> None:
        batch = Batch()
        self.addCleanup(batch.close)
        source = batch.clip("interlaced.mp4")
        output, fragment = batch.folder / "out.mkv", "deinterlace method=linear fields=top"
        status, text = batch.run(source, output, "--filter", fragment, "--lead-in", "400ms", "--encoder", LOSSLESS,
                                 "--segment", "600ms")
        self.assertEqual(status, 0, text)
        self.assertEqual(frame_sums(output), frame_sums(batch.reference(source, filter_=fragment)))


if __name__ == "__main__":
    unittest.main()
