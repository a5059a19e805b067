"""Tests cuts, decode times, packets and the manifest."""

import tempfile
import unittest
from array import array
from pathlib import Path
from types import SimpleNamespace

from support import index, result

from render.decodetimes import decode_time, reorder_depth
from render.frames import DamagedIndex, FrameIndex
from render.manifest import Manifest
from render.packets import DamagedFile, Packet, PacketReader, PacketWriter, digest_of
from render.plan import Cuts, Speed, cut, cut_evenly, cut_without_seek
from render.study import _Examiner
from render.times import SECOND


class CutTests(unittest.TestCase):
    def test_segments_begin_at_multiples_of_the_key_interval(self) -> None:
        for count, length, key in ((751, 30 * SECOND, 60), (751, SECOND, 7), (5, 30 * SECOND, 250), (1000, 1, 12)):
            cuts = cut(index(count), length, key)
            segments = list(cuts)
            self.assertTrue(all(segment.first % key == 0 for segment in segments))
            self.assertEqual([number for segment in segments for number in range(segment.first, segment.end)],
                             list(range(count)))

    def test_length_is_the_nearest_multiple(self) -> None:
        self.assertEqual(cut(index(10_000), 30 * SECOND, 60).step, 720)
        self.assertEqual(cut(index(10_000), 30 * SECOND, 250).step, 750)

    def test_frames_of_the_slot_that_renders_most(self) -> None:
        for count, step, slots, most in ((100, 10, 1, 100), (95, 10, 1, 95), (100, 10, 4, 30), (90, 10, 4, 30),
                                         (85, 10, 4, 25), (75, 10, 4, 20), (5, 10, 4, 5)):
            self.assertEqual(Cuts(count, step).most_frames(slots), most, (count, step, slots))

    def test_each_slot_renders_nearly_the_same_number_of_frames(self) -> None:
        """With 21 segments of a film of 10 min, four slots would be at most 3.57 times as fast as one slot."""
        cuts = cut_evenly(index(15_000), 4, 30 * SECOND, 60)
        self.assertEqual((cuts.step, len(cuts)), (780, 20))
        for count in (15_000, 20_011, 180_000):
            for slots in range(1, 33):
                cuts = cut_evenly(index(count), slots, 30 * SECOND, 60)
                self.assertGreaterEqual(cuts.step, 240, (count, slots))
                self.assertLessEqual(cuts.step, 780)
                self.assertEqual(cuts.step % 60, 0)
                self.assertLess(cuts.most_frames(slots) * slots / count, 1.13, (count, slots, cuts))

    def test_division_does_not_use_many_short_segments_for_a_small_gain(self) -> None:
        """Each additional segment costs a process start and a separate encoder."""
        for minutes, rate, slots, shortest, excess in ((3, 30, 4, 16, 1.07), (19, 24, 16, 20, 1.06),
                                                       (39, 25, 32, 20, 1.09), (10, 25, 2, 30, 1.05)):
            cuts = cut_evenly(index(60 * minutes * rate, SECOND // rate), slots, 30 * SECOND, 60)
            self.assertGreaterEqual(cuts.step, shortest * rate, (minutes, rate, slots))
            self.assertLess(cuts.most_frames(slots) * slots / cuts.frame_count, excess)
        for slots in (11, 15, 20, 23, 24, 27):
            cuts = cut_evenly(index(15_000), slots, 30 * SECOND, 60)
            self.assertGreaterEqual(cuts.step, 15 * 25, slots)
            self.assertLess(cuts.most_frames(slots) * slots / 15_000, 1.13, slots)

    def test_short_film_keeps_all_workers_busy(self) -> None:
        for slots in range(1, 9):
            cuts = cut_evenly(index(1500), slots, 30 * SECOND, 5)
            self.assertGreaterEqual(len(cuts), slots)
            self.assertLessEqual(cuts.most_frames(slots) * slots / 1500, 1.05)
        self.assertEqual(len(cut_evenly(index(50), 4, 30 * SECOND, 60)), 1)

    def test_without_seek_each_slot_decodes_the_film_once(self) -> None:
        self.assertLessEqual(len(cut_without_seek(index(10_000), 4, 12)), 4)

    def test_index_keeps_its_values_and_finds_its_faults(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, mark = Path(folder) / "index", index(5).mark
            index(5).write(path)
            self.assertEqual(FrameIndex.read(path, mark), index(5))
            data = path.read_bytes()
            for position in range(len(data)):
                path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1:])
                with self.assertRaises(DamagedIndex):
                    FrameIndex.read(path, mark)
                path.write_bytes(data[:position])
                with self.assertRaises(DamagedIndex):
                    FrameIndex.read(path, mark)
        self.assertIsNone(index(3).fault())
        self.assertIn("no frames", index(0).fault())
        self.assertIn("frames 0 and 1", FrameIndex(array("q", [5, 5])).fault())

    def test_tail_is_a_small_part(self) -> None:
        self.assertEqual([Cuts(1000, step).tail for step in (1, 99, 150, 750, 5000)], [1, 1, 3, 8, 8])


class SpeedTests(unittest.TestCase):
    """Tests which films are divided into segments. By default, there are two workers. A frame takes 10 ms."""

    def divide(self, seconds: int, idle: float, workers: int | None = None, mode: str = "seek") -> int:
        """Returns the number of segments."""
        options = SimpleNamespace(is_local=True, segment=None, workers=workers, is_division_chosen=workers is None)
        examiner = _Examiner(options, Path())
        examiner._speed = Speed(0.01, idle, 0.2, start=1.0)
        job, frames = {"mode": mode}, index(25 * seconds)
        examiner._divide(job, frames, workers or 2, 60)
        return len(Cuts(len(frames), job["step"]))

    def test_short_film_is_one_pass_and_a_long_one_is_divided(self) -> None:
        """Half of the processors are idle, so segments gain 4.5 ms of the 10 ms per frame. A start takes 1 s."""
        self.assertEqual(Speed(0.01, 0.5, 0.2, 1.0).pays_from(2), round(1 / 0.0045))
        for mode in ("seek", "skip"):
            self.assertEqual(self.divide(8, 0.5, mode=mode), 1)
            self.assertGreater(self.divide(60, 0.5, mode=mode), 1)

    def test_one_pass_that_leaves_no_processor_idle_is_divided_after_ten_minutes(self) -> None:
        """With segments, an interruption loses at most 10 min of rendering."""
        for idle in (0.0, 0.04):
            self.assertEqual(self.divide(2300, idle), 1)
            self.assertGreater(self.divide(2500, idle), 60)

    def test_gain_is_limited_by_the_number_of_workers(self) -> None:
        speed = Speed(0.01, 0.9, 0.2, 1.0)
        self.assertEqual([speed.pays_from(workers) for workers in (1, 2, 4)], [60_000, round(1 / 0.0045), 143])

    def test_option_workers_overrides_the_measured_speed(self) -> None:
        self.assertEqual(self.divide(7200, 0.5, workers=1), 1)
        self.assertGreater(self.divide(60, 0.0, workers=2), 1)


class DecodeTimeTests(unittest.TestCase):
    def test_reordered_frames_are_decoded_before_they_are_shown(self) -> None:
        # PTS of I P B B P B B from two encoders, with a variable frame rate.
        segments = [[0, 90, 20, 50, 200, 110, 150], [210, 400, 230, 300, 500, 410, 490]]
        depth = max(map(reorder_depth, segments))
        self.assertEqual(depth, 1)
        order = [time for segment in segments for time in segment]
        pts = array("q", sorted(order))
        dts = [decode_time(number, pts, depth, 40) for number in range(len(order))]
        self.assertTrue(all(early < late for early, late in zip(dts, dts[1:])), dts)
        self.assertTrue(all(decoded <= shown for decoded, shown in zip(dts, order)))
        self.assertEqual(dts[0], -40)

    def test_without_reordering_times_are_equal(self) -> None:
        self.assertEqual(reorder_depth([0, 1, 2]), 0)
        self.assertEqual(decode_time(1, array("q", [7, 9]), 0, 40), 9)


class PacketTests(unittest.TestCase):
    def setUp(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = Path(self._folder.name) / "segment"
        self.packets = [Packet(5 * number, -number, 40, number == 0, bytes([number]) * number) for number in range(4)]
        writer = PacketWriter(self.path)
        for packet in self.packets:
            writer.add(packet)
        self.digest = writer.end()

    def test_packets_are_read_as_written(self) -> None:
        with PacketReader(self.path) as reader:
            self.assertEqual(list(reader.packets()), self.packets)
        self.assertEqual(digest_of(self.path), self.digest)

    def test_every_changed_byte_is_noticed(self) -> None:
        data = self.path.read_bytes()
        for position in range(len(data)):
            changed = bytearray(data)
            changed[position] ^= 1
            self.path.write_bytes(changed)
            with self.assertRaises(DamagedFile, msg=f"byte {position}"):
                digest_of(self.path)

    def test_reader_reads_the_file_that_it_has_verified(self) -> None:
        """Another user may replace the file between verification and reading."""
        with PacketReader(self.path) as reader:
            self.path.unlink()
            PacketWriter(self.path).end()
            reader.verify(self.digest)
            self.assertEqual(list(reader.packets()), self.packets)
        with PacketReader(self.path) as reader, self.assertRaisesRegex(DamagedFile, "not the file that was rendered"):
            reader.verify(self.digest)

    def test_every_cut_is_noticed(self) -> None:
        data = self.path.read_bytes()
        for length in range(len(data)):
            self.path.write_bytes(data[:length])
            with self.assertRaises(DamagedFile):
                digest_of(self.path)

    def test_two_writers_never_have_one_file(self) -> None:
        with self.assertRaises(FileExistsError):
            PacketWriter(self.path)


class ManifestTests(unittest.TestCase):
    def test_incomplete_last_line_is_ignored(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "manifest"
            manifest = Manifest(path)
            manifest.begin({"source": "a"})
            manifest.add(result(0))
            whole = len(path.read_bytes())
            manifest.add(result(1))
            data = path.read_bytes()
            for length in range(whole, len(data)):
                path.write_bytes(data[:length])
                again = Manifest(path)
                self.assertEqual((again.job, sorted(again.results)), ({"source": "a"}, [0]))
                again.add(result(2))
                self.assertEqual(sorted(Manifest(path).results), [0, 2])

    def test_manifest_with_a_damaged_job_is_not_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "manifest"
            manifest = Manifest(path)
            manifest.begin({"source": "a"})
            manifest.add(result(0))
            data = b"x" + path.read_bytes()
            path.write_bytes(data)
            self.assertEqual((Manifest(path).job, path.read_bytes()), (None, data))

    def test_forgotten_segment_is_rendered_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            manifest = Manifest(Path(folder) / "manifest")
            manifest.add(result(0))
            manifest.forget(0)
            self.assertEqual(Manifest(Path(folder) / "manifest").results, {})


if __name__ == "__main__":
    unittest.main()
