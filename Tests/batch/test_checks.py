"""Tests checks of segments and of the written film, repeated attempts, options, and texts such as durations."""

import os
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from support import result

from render.attempts import Attempts
from render.checks import caps_fault, is_open, open_joints, packet_fault, short_track, times_fault, written_fault
from render.fragments import filter_text, refusal
from render.options import parse_options
from render.plan import Cuts
from render.progress import Progress
from render.refusal import Refusal
from render.times import SECOND, parse_duration, rough_time, timestamp


class CheckTests(unittest.TestCase):
    def test_joints_compare_neighbours(self) -> None:
        cuts = Cuts(30, 10)
        results = {number: result(number) for number in range(3)}
        self.assertEqual(open_joints(results, cuts), [])
        results[1] = result(1, head=[99])
        self.assertEqual(open_joints(results, cuts), [1])
        results[1] = result(1, tail=[])
        self.assertEqual(open_joints(results, cuts), [2])

    def test_joint_requires_all_pictures_of_the_tail_except_lost_ones(self) -> None:
        before, after = result(0, tail=[1, 2], frames=400), result(1, head=[1, 2, 3, 4], frames=400)
        self.assertTrue(is_open(before, after, 4))
        self.assertFalse(is_open(replace(before, tail=[1, 2, 3, 4]), after, 4))
        self.assertFalse(is_open(before, replace(after, lost=[5, 6]), 4))

    def test_missing_doubled_and_moved_frames_are_named(self) -> None:
        self.assertIsNone(times_fault("x", [1, 2], [1, 2]))
        self.assertIn("1 of 2 frames", times_fault("x", [1], [1, 2]))
        self.assertIn("no frame at", times_fault("x", [1, 3], [1, 2]))
        self.assertIn("not in the source", times_fault("x", [1, 1], [1, 2]))
        self.assertIn("3 frames instead of 2", times_fault("x", [1, 2, 3], [1, 2]))

    def test_segment_must_begin_with_its_key_frame(self) -> None:
        self.assertIn("key frame", packet_fault([1, 2], [1, 2], False))
        self.assertIn("GOPs are not closed", packet_fault([1, 2], [2, 1], True))
        self.assertIsNone(packet_fault([1, 2, 3], [1, 3, 2], True))

    def test_different_headers_are_named_by_field(self) -> None:
        fault = caps_fault({0: result(0, caps="video/x-h264, codec_data=(buffer)00, width=(int)8"),
                            1: result(1, caps="video/x-h264, codec_data=(buffer)01, width=(int)8")})
        self.assertIn("codec_data=(buffer)00.", fault)
        self.assertNotIn("width", fault)

    def test_written_film_is_compared_with_the_packets_of_the_muxer(self) -> None:
        sound = {"packets": 2, "digest": "a", "times": [0, 20_000_000], "is_raw": False}
        sent = {"frames": 2, "digest": "v", "audio": [sound], "begin": 0}
        video = {"packets": 2, "digest": "v", "times": [0, 40_000_000]}
        audio = {"packets": 2, "digest": "a", "times": [0, 20_000_000]}
        times = [0, 40_000_000]
        self.assertIsNone(written_fault(sent, {"video": [video], "audio": [audio]}, times))
        for changes, words in (({"packets": 1}, "1 of 2 frames"), ({"digest": "x"}, "not that of the segments"),
                               ({"times": [0, 42_000_000]}, "frame 1 is at"), ({"times": [0, 0]}, "frame 1 is at")):
            self.assertIn(words, written_fault(sent, {"video": [{**video, **changes}], "audio": [audio]}, times))
        for changes, words in (({"packets": 1}, "1 of 2 packets"), ({"digest": "x"}, "other ones"),
                               ({"times": [0, 25_000_000]}, "audio packet 1 is at")):
            self.assertIn(words, written_fault(sent, {"video": [video], "audio": [{**audio, **changes}]}, times))
        self.assertIn("0 audio", written_fault(sent, {"video": [video], "audio": []}, times))

    def test_film_may_begin_with_its_first_packet(self) -> None:
        sent = {"digest": "v", "audio": [{"packets": 1, "digest": "a", "times": [30_000_000], "is_raw": False}],
                "begin": 20_000_000}
        video, times = {"packets": 2, "digest": "v", "times": [0, 40_000_000]}, [20_000_000, 60_000_000]
        audio = {"packets": 1, "digest": "a", "times": [10_000_000]}
        self.assertIsNone(written_fault(sent, {"video": [video], "audio": [audio]}, times))
        late = {**audio, "times": [30_000_000]}
        self.assertIn("audio packet 0 is at", written_fault(sent, {"video": [video], "audio": [late]}, times))

    def test_packets_of_raw_audio_may_have_other_boundaries(self) -> None:
        sent = {"digest": "v", "begin": 0,
                "audio": [{"packets": 2, "digest": "a", "times": [0, 20_000_000], "is_raw": True}]}
        video, audio = {"packets": 1, "digest": "v", "times": [0]}, {"packets": 1, "digest": "a", "times": [0]}
        self.assertIsNone(written_fault(sent, {"video": [video], "audio": [audio]}, [0]))
        for changes in ({"digest": "x"}, {"times": [2_000_000]}):
            self.assertIn("audio", written_fault(sent, {"video": [video], "audio": [{**audio, **changes}]}, [0]))

    def test_track_that_is_shorter_than_a_fifth_of_the_film_is_found(self) -> None:
        self.assertIsNone(short_track([(0, 10), (0, 2)]))
        self.assertEqual(short_track([(0, 10), (9, 12)], part=3), 1)
        self.assertEqual(short_track([(0, 1), (0, 6)]), 0)


class AttemptTests(unittest.TestCase):
    FAILURE = {"kind": "media", "text": "broken"}

    def test_error_on_the_only_machine_names_no_host(self) -> None:
        attempts = Attempts()
        attempts.failed(7, "a", "", self.FAILURE, ["a"])
        self.assertEqual(attempts.text(7), "broken")

    def test_failed_segment_is_retried_on_other_workers_and_then_given_up(self) -> None:
        attempts, workers = Attempts(), ["a", "b", "c"]
        self.assertIsNone(attempts.workers_for(7, workers))
        self.assertTrue(attempts.failed(7, "a", "host-a", self.FAILURE, workers))
        self.assertEqual(attempts.workers_for(7, workers), ["b", "c"])
        self.assertTrue(attempts.failed(7, "b", "host-b", self.FAILURE, workers))
        self.assertEqual(attempts.workers_for(7, workers), ["c"])
        self.assertFalse(attempts.failed(7, "c", "host-c", self.FAILURE, workers))
        self.assertEqual(attempts.given_up, {7})
        self.assertEqual(attempts.text(7), "host-a: broken; host-b: broken; host-c: broken")
        self.assertIsNone(attempts.workers_for(8, workers))

    def test_single_worker_tries_three_times(self) -> None:
        attempts = Attempts()
        self.assertEqual([attempts.failed(0, "a", "h", self.FAILURE, ["a"]) for _ in range(3)], [True, True, False])

    def test_unfit_worker_gets_no_more_segments(self) -> None:
        attempts = Attempts()
        self.assertTrue(attempts.failed(0, "a", "h", {"kind": "unfit", "text": "no x264enc"}, ["a", "b"]))
        self.assertEqual(attempts.workers_for(5, ["a", "b"]), ["b"])
        self.assertFalse(attempts.failed(5, "b", "i", {"kind": "unfit", "text": "no x264enc"}, ["a", "b"]))

    def test_failure_while_no_worker_is_listed_does_not_give_the_segment_up(self) -> None:
        """While the only worker restarts, the scheduler lists no worker."""
        for kind in ("media", "unfit"):
            attempts = Attempts()
            self.assertTrue(attempts.failed(0, "a", "h", {"kind": kind, "text": "broken"}, []))
            self.assertEqual(attempts.given_up, set())


class TextTests(unittest.TestCase):
    def test_durations(self) -> None:
        self.assertEqual([parse_duration(text) for text in ("30s", "500ms", "1.5m", "2", "1h")],
                         [30 * SECOND, SECOND // 2, 90 * SECOND, 2 * SECOND, 3600 * SECOND])
        for text in ("", "s", "-1s", "1d", "1s2", "nan"):
            with self.assertRaises(ValueError):
                parse_duration(text)
        self.assertEqual(timestamp(3_723_004_000_000), "1:02:03.004")
        self.assertEqual((rough_time(3723), rough_time(2)), ("1:02:03", "2.0 s"))

    def test_time_left_counts_frames_of_this_run(self) -> None:
        progress = Progress(frames=1000, segments=10, done_frames=500, done_segments=5, now=0)
        self.assertIsNone(progress.seconds_left(1))
        progress.rendered(5, 50)
        self.assertEqual(progress.seconds_left(10), 90)
        progress.finished(5, 100)
        self.assertEqual(progress.line(10, 2), " 60 %  segment 6 of 10  10.0 frames/s  0:40 left  2 workers")

    def test_filter_of_preset_and_properties(self) -> None:
        self.assertEqual(filter_text(None, "Worn tape", []), "ntscfilter @preset=Worn\\ tape")
        self.assertTrue(filter_text(None, None, []).startswith("ntscfilter scale-with-video-size"))
        self.assertEqual(filter_text(None, None, ["vhs-tape-speed=ep"]),
                         filter_text(None, None, []) + ' vhs-tape-speed="ep"')
        for arguments in (("identity", "x", []), (" ", None, []), (None, None, ["snow"]), (None, "x", ["snow-intensity=2"])):
            with self.assertRaises(ValueError):
                filter_text(*arguments)

    def test_temporal_filters_need_a_lead_in_and_clock_filters_are_refused(self) -> None:
        self.assertIn("--lead-in", refusal(["ntscfilter", "deinterlace"], False))
        self.assertIsNone(refusal(["deinterlace"], True))
        self.assertIn("time of day", refusal(["clockoverlay"], True))
        self.assertIsNone(refusal(["ntscfilter", "gamma"], False))

    def test_wrong_options_are_refused_before_anything_starts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "in.mkv"
            source.write_bytes(b"x")
            empty = Path(folder) / "empty.mkv"
            empty.touch()
            out = f"{folder}/out.mkv"
            hard, soft, fifo, directory = (f"{folder}/{name}.mkv" for name in ("hard", "soft", "fifo", "folder"))
            os.link(source, hard)
            os.symlink(source, soft)
            os.mkfifo(fifo)
            os.mkdir(directory)
            target, linked, new = (f"{folder}/{name}.mkv" for name in ("folder.mkv/target", "linked", "new"))
            Path(target).touch()
            os.symlink("folder.mkv/target.mkv", linked)
            os.symlink("folder.mkv/new.mkv", new)
            for arguments, words in (
                ([f"{folder}/no.mkv", out], "There is no file"), ([folder, out], "is a folder; name a file in it"),
                ([str(source), f"{folder}/out.avi"], "must end in"),
                ([str(source), f"{folder}/no/out.mkv"], "There is no folder"),
                *(([str(source), same, "--overwrite"], "same file") for same in (str(source), hard, soft)),
                ([soft, hard, "--overwrite"], "same file"),
                ([str(source), fifo, "--overwrite"], "no regular file"),
                ([str(source), directory, "--overwrite"], "is a folder"), ([str(source), linked], "exists; --force"),
                ([str(source), f"{folder}/caf\udce9.mkv"], "is not UTF-8"),
                ([str(empty), out], "is empty"), ([str(source), out, "--segment", "10ms"], "shorter than"),
                ([str(source), out, "--resume", "--restart"], "one of them"),
                ([str(source), out, "--filter", "identity", "--preset", "x"], "--filter instead"),
                ([str(source), out, "--ssh-hosts", ","], "names no host"),
                ([str(source), out, "--ssh-hosts", ""], "names no host"),
                ([str(source), out, "--scheduler", ""], "has no address"),
                *(([str(source), out, "--scheduler", address], "is not encrypted: anyone who reaches") for address in (
                    "tcp://render:8786", "tcp://192.168.1.5:8786", "render:8786", "ws://render:8786",
                    "tcp://localhost.test:8786", "tcp://127.0.0.1@render:8786", "tcp://[::1")),
            ):
                with self.assertRaisesRegex(Refusal, words):
                    parse_options(arguments)
            for address in ("tls://render:8786", "tcp://127.0.0.1:8786", "tcp://[::1]:8786", "localhost:8786"):
                self.assertEqual(parse_options([str(source), out, "--scheduler", address]).scheduler, address)
            trusted = [str(source), out, "--scheduler", "tcp://render:8786", "--insecure"]
            self.assertEqual(parse_options(trusted).scheduler, "tcp://render:8786")
            for option in ("--overwrite", "--force"):
                options = parse_options([str(source), linked, option])
                self.assertEqual((options.output, options.overwrite), (Path(directory, "target.mkv"), True))
            options = parse_options([str(source), new, "--force"])
            self.assertEqual((options.output, options.overwrite), (Path(directory, "new.mkv"), True))
            self.assertFalse(parse_options([str(source), new]).overwrite)
            self.assertEqual(parse_options([str(source), out, "--ssh-hosts", " anna, bert,"]).ssh_hosts,
                             ["anna", "bert"])


if __name__ == "__main__":
    unittest.main()
