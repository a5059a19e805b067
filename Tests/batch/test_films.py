"""Examines films in many formats with `render.study`, and renders some of them."""

import os
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import gi

gi.require_version("Gst", "1.0")
from films import FILMS, make, with_parts  # noqa: E402
from gi.repository import Gst  # noqa: E402
from support import FILTER, LOSSLESS, PATIENCE, TOP, Batch, frame_sums, numbers  # noqa: E402

from render.frames import FrameIndex  # noqa: E402
from render.media import tasks  # noqa: E402
from render.media.failure import Failure  # noqa: E402
from render.media.player import keep_last_frame  # noqa: E402
from render.media.scan import _Stream  # noqa: E402
from render.options import parse_options  # noqa: E402
from render.refusal import Refusal  # noqa: E402
from render.study import Study, study  # noqa: E402

# Films with a corrected segment event, an empty part in the edit list, too short a duration, and equal times.
RENDERED = ("h264 aac.mkv", "begins later.mp4", "late video.mkv", "mpeg4 b-frames.avi")
# Suffix of the output for each film that is difficult to store in MP4: the demuxer sets no durations, a track begins
# late, the last frame is long, the boundaries of raw audio packets change, or alpha is decoded apart.
TO_MP4 = {"h264 aac.mkv": ".mp4", "h264 aac.flv": ".mov", "vp9 opus.webm": ".mp4", "subtitles.mkv": ".mov",
          "late audio.mkv": ".mp4", "late video.mkv": ".mov", "slower.mp4": ".mp4", "prores pcm.mov": ".mov",
          "alpha.webm": ".mp4"}
_MOVED = 4_000_000
_ODD_NAME = 'odd "name" für \\ 100 %.mkv'


def _run_task(_code: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Replaces `run_tool`, and runs the task in this process."""
    try:
        return {"result": tasks.TASKS[name](**arguments)}
    except Failure as failure:
        return {"failure": {"kind": failure.kind, "text": failure.text}}


def examine(source: Path, *options: str, suffix: str = ".mkv") -> Study:
    with tempfile.TemporaryDirectory() as folder, mock.patch("render.study.run_tool", _run_task), \
            mock.patch("render.media.report.write", lambda _: None):
        return study(parse_options([*options, str(source), f"{folder}/out{suffix}"]), lambda _: 2)


def refusal_of(source: Path) -> tuple[str, Study | None]:
    """The reason why a film is refused, or the examined film: versions of GStreamer read different films whole."""
    try:
        return "", examine(source)
    except Refusal as refusal:
        return str(refusal), None


class _OnePass:
    """Plays a film with decodebin. Records the PTS of the frames, and the last PTS minus its running time."""

    def __init__(self, path: Path) -> None:
        self.pts: list[int] = []
        self.origin, self.audio = 0, 0
        self._pipeline = Gst.parse_launch("filesrc name=source ! decodebin name=reader")
        self._pipeline.get_by_name("source").set_property("location", str(path))
        self._pipeline.get_by_name("reader").connect("pad-added", self._on_pad)
        self._pipeline.connect("deep-element-added", keep_last_frame)
        self._pipeline.set_state(Gst.State.PLAYING)
        message = self._pipeline.get_bus().timed_pop_filtered(
            PATIENCE * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self._pipeline.set_state(Gst.State.NULL)
        assert message is not None and message.type == Gst.MessageType.EOS, path

    def _on_pad(self, _reader: Gst.Element, pad: Gst.Pad) -> None:
        sink = Gst.parse_launch("fakesink sync=false async=false")
        self._pipeline.add(sink)
        sink.sync_state_with_parent()
        kind = (pad.get_current_caps() or pad.query_caps(None)).get_structure(0).get_name()
        self.audio += kind.startswith("audio/")
        if kind.startswith("video/"):
            pad.add_probe(Gst.PadProbeType.BUFFER, self._on_frame)
        pad.link(sink.get_static_pad("sink"))

    def _on_frame(self, pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        self.origin = segment.start - segment.base
        self.pts.append(info.get_buffer().pts)
        return Gst.PadProbeReturn.OK


class FilmTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.batch = Batch()
        cls.addClassCleanup(cls.batch.close)
        Gst.init(None)
        # Create these films first, because the other films are made from them.
        first = ["cover.png", "lines.srt", *(name for name in FILMS if "{" not in FILMS[name])]
        with ThreadPoolExecutor(2) as makers:
            list(makers.map(cls.film, first))
            list(makers.map(cls.film, set(FILMS) - set(first)))

    @classmethod
    def film(cls, name: str) -> Path:
        return make(name, cls.batch.folder)

    def test_each_film_has_the_frames_of_one_pipeline(self) -> None:
        """`study` also renders, joins and reads a few frames of each film."""
        self.assertGreaterEqual(len(FILMS), 40)
        for name in FILMS:
            with self.subTest(name):
                found, right = examine(self.film(name)), _OnePass(self.film(name))
                self.assertEqual(len(found.frames), len(right.pts))
                # A few decoders output two frames with the same time. `scan` moves the second frame to a later time.
                most = _MOVED if found.job["is_counted"] else 0
                self.assertLessEqual(max(abs(a - b) for a, b in zip(found.frames.pts, right.pts)), most)
                self.assertEqual((found.job["origin"], len(found.job["audio"])), (right.origin, right.audio))

    def test_rendered_films_have_the_pictures_and_the_sound_of_one_pipeline(self) -> None:
        with ThreadPoolExecutor(2) as workers:
            for name, (output, status, text) in zip(RENDERED, workers.map(self.render, RENDERED)):
                with self.subTest(name):
                    self.assertEqual(status, 0, text)
                    self.assertIn("in 3 segments", text)
                    expected = frame_sums(self.batch.reference(self.film(name)))
                    self.assertEqual([line.split()[1] for line in frame_sums(output)],
                                     [line.split()[1] for line in expected])
                    self.assertLess(abs(self.delay(output) - self.delay(self.film(name))), 1 / 25)

    def test_players_show_all_frames_of_an_mp4_and_play_all_its_audio(self) -> None:
        def render(name: str) -> tuple[Path, int, str]:
            output = self.batch.folder / f"contained {name}{TO_MP4[name]}"
            return output, *self.batch.run(self.film(name), output, "--filter", "identity", "--encoder",
                                           "x264enc pass=qual quantizer=20 speed-preset=veryfast")

        with ThreadPoolExecutor(2) as workers:
            for name, (output, status, text) in zip(TO_MP4, workers.map(render, TO_MP4)):
                with self.subTest(name):
                    self.assertEqual(status, 0, text)
                    self.assertEqual(len(_OnePass(output).pts), len(_OnePass(self.film(name)).pts))
                    self.assertLess(abs(self.begin_of_video(output) - self.begin_of_video(self.film(name))), 2_000_000)
                    if "pcm" not in name:
                        before = [time for time in numbers("running_times.py", self.film(name), "audio") if time >= 0]
                        self.assertEqual(len(numbers("running_times.py", output, "audio")), len(before))

    def test_mp4_without_audio_begins_with_its_first_frame(self) -> None:
        output = self.batch.folder / "silent.mp4"
        self.assertGreater(self.begin_of_video(self.film("late video.mkv")), 20_000_000)
        status, text = self.batch.run(self.film("late video.mkv"), output, "--filter", "identity", "--no-audio")
        self.assertEqual(status, 0, text)
        self.assertEqual(numbers("running_times.py", output, "video")[0], 0)

    def test_frame_after_the_end_of_the_edit_list_is_not_counted(self) -> None:
        output = self.batch.folder / "cut.mp4"
        whole = tasks.TASKS["check"](str(self.film("h264 aac.mp4")), "mp4mux")["video"][0]
        with_parts(self.film("h264 aac.mp4"), output, [(0.08, 2.36)])
        cut = tasks.TASKS["check"](str(output), "mp4mux")["video"][0]
        self.assertEqual((cut["packets"], cut["digest"]), (whole["packets"] - 1, whole["digest"]))

    def test_too_short_stream_in_mp4_is_refused(self) -> None:
        for suffix in (".mp4", ".mov"):
            with self.assertRaisesRegex(Refusal, "The audio lasts 0:00:00.3.* a fifth of the film. .*mkv"):
                examine(self.film("short audio.mkv"), suffix=suffix)
        examine(self.film("short audio.mkv"))

    def test_rotated_film_is_rendered_upright(self) -> None:
        """Films of phones have a rotation tag. The rendered film must not have it, so that players do not rotate it."""
        output, status, text = self.render("rotated.mp4")
        self.assertEqual(status, 0, text)
        upright = f"videoflip video-direction=auto ! {FILTER}"
        expected = frame_sums(self.batch.reference(self.film("rotated.mp4"), filter_=upright))
        self.assertEqual([line.split()[1] for line in frame_sums(output)], [line.split()[1] for line in expected])
        output = self.batch.folder / "upright.mp4"
        self.assertEqual(self.batch.run(self.film("rotated.mp4"), output)[0], 0)
        for film, is_turned in ((self.film("rotated.mp4"), True), (output, False)):
            tags = tasks.scan(str(film), str(self.batch.folder / "index"))["tags"]
            self.assertEqual("image-orientation" in tags, is_turned)

    def test_filter_does_not_rotate_the_film_again(self) -> None:
        outputs = []
        for name, filter_ in (("once", "identity"), ("twice", "videoflip video-direction=auto")):
            outputs.append(self.batch.folder / f"{name}.mkv")
            status, text = self.batch.run(self.film("rotated.mp4"), outputs[-1], "--filter", filter_, "--segment",
                                          "800ms", "--encoder", LOSSLESS)
            self.assertEqual(status, 0, text)
        self.assertEqual(frame_sums(outputs[1]), frame_sums(outputs[0]))

    def test_filter_receives_the_upright_size(self) -> None:
        status, text = self.batch.run(self.film("rotated.mp4"), self.batch.folder / "cropped.mp4", "--filter",
                                      "videocrop top=130 ! ntscfilter")
        self.assertEqual(status, 0, text)

    def test_losses_are_noted(self) -> None:
        for name, note in (("prores.mov", "The source has 10 bits for each colour component; filter and encoder keep 8."),
                           ("cover art.mkv", "The cover picture is left out."),
                           ("cover art.mp4", "The cover picture is left out."),
                           ("cover.png", "The source is a single picture; the film is this one frame.")):
            with self.subTest(name):
                self.assertEqual(examine(self.film(name)).notes, [note])
        for name in ("h264 aac.mkv", "10 bit.mkv", "begins later.mkv", "late audio.mp4"):
            self.assertEqual(examine(self.film(name)).notes, [])

    def test_default_encoder_makes_4_2_0_that_most_players_decode_unless_the_filter_names_a_format(self) -> None:
        filter_ = ("--filter", "ntscfilter ! videoconvert ! video/x-raw,format=Y444")
        for name, options, profile in (
                ("alpha.webm", (), "high"), ("rgb.mkv", (), "high"), ("prores.mov", (), "high"),
                ("h264 aac.mkv", (), "high"), ("10 bit.mkv", (), "high-10"), ("odd size.mkv", (), "high-4:4:4"),
                ("10 bit.mkv", ("--encoder", "video/x-raw,format=I420 ! x264enc pass=qual"), "high"),
                ("alpha.webm", filter_, "high-4:4:4"), ("rgb.mkv", ("--encoder", "x264enc pass=qual"), "high-4:4:4")):
            with self.subTest(name=name, options=options):
                caps = Gst.Caps.from_string(examine(self.film(name), *options).pictures["sample"]["caps"])
                self.assertEqual(caps.get_structure(0).get_string("profile"), profile)

    def test_truncated_film_is_noted(self) -> None:
        for name in ("h264 aac.mkv", "h264 aac.flv"):
            content = self.film(name).read_bytes()
            source = self.batch.folder / f"truncated {name}"
            source.write_bytes(content[:len(content) * 6 // 10])
            with self.subTest(name):
                note, = examine(source).notes
                self.assertRegex(note, "a duration of 0:00:02.4.., but what can be read ends at 0:00:01.* truncated.$")

    def render(self, name: str) -> tuple[Path, int, str]:
        output = self.batch.folder / f"rendered {name}.mkv"
        return output, *self.batch.run(self.film(name), output, "--segment", "800ms", "--encoder", LOSSLESS)

    def delay(self, path: Path) -> float:
        """Seconds from the start of the audio to the start of the video."""
        video, audio = (numbers("running_times.py", path, kind)[0] for kind in ("video", "audio"))
        return video - audio

    def begin_of_video(self, path: Path) -> int:
        """Nanoseconds from the start of the audio, but at least from time 0, to the start of the video."""
        index = self.batch.folder / f"index of {path.name}"
        streams = tasks.TASKS["scan"](str(path), str(index))
        return FrameIndex.read(index).pts[0] - streams["origin"] - max(0, streams["audio"][0]["begin"])

    def test_short_film_is_one_pass_without_dask_also_if_its_name_is_odd(self) -> None:
        """The film with the odd name has the same pictures as the film with the plain name."""
        without = self.batch.folder / "without"
        without.mkdir()
        (without / "distributed.py").write_text("raise ImportError('no distributed')")
        sums = []
        for name in ("h264 aac.mkv", _ODD_NAME):
            output = self.batch.folder / f"pass {len(sums)}.mkv"
            with mock.patch.dict(self.batch.environment, PYTHONPATH=f"{without}:{TOP / 'pipelines'}"):
                process = subprocess.run(
                    ["/usr/bin/python3", "-m", "render", self.film(name), output, "--encoder", LOSSLESS],
                    env=self.batch.environment, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
            self.assertRegex(process.stdout, r"60 frames; one pass\n(.*\n)+One pass takes about .* --verify packets")
            self.assertIn("60 frames in one pass, verified", process.stdout)
            self.assertEqual([path.name for path in self.batch.folder.glob(f"{output.name}*")], [output.name])
            sums.append(frame_sums(output))
        self.assertEqual(sums[0], sums[1])
        # These are the pictures of segments, too: another test compares those with the same pipeline.
        self.assertEqual([line.split()[1] for line in sums[0]],
                         [line.split()[1] for line in frame_sums(self.batch.reference(self.film("h264 aac.mkv")))])

    def test_incompatible_container_is_refused_with_an_alternative(self) -> None:
        for name, suffix, words in (
            ("h264 aac.mkv", ".webm", "webmmux cannot hold the audio of the source, audio/mpeg"),
            ("mjpeg pcm.mkv", ".mov", "qtmux does not store the film as it is: .* its audio"),
        ):
            with self.assertRaisesRegex(Refusal, words + ".* An output that ends in .mkv ") as refused:
                examine(self.film(name), suffix=suffix)
            self.assertNotIn("\n", str(refused.exception))
            self.assertEqual(len(examine(self.film(name)).job["audio"]), 1)

    def test_name_that_is_not_utf_8_is_refused(self) -> None:
        source = self.batch.folder / os.fsdecode(b"latin\xe9.mkv")
        shutil.copy(self.film("h264 aac.mkv"), source)
        with self.assertRaisesRegex(Refusal, "latin\ufffd.mkv\" is not UTF-8"):
            examine(source)

    def test_file_without_video_is_named(self) -> None:
        (self.batch.folder / "text.mp4").write_text("text\n" * 100)
        (self.batch.folder / "truncated.mp4").write_bytes(self.film("h264 aac.mp4").read_bytes()[:20_000])
        for name in ("text.mp4", "truncated.mp4"):
            with self.assertRaisesRegex(Refusal, f"^GStreamer finds no video in .*/{name} that it can read.$"):
                examine(self.batch.folder / name)

    def test_too_large_picture_is_refused(self) -> None:
        source = self.batch.folder / "huge.png"
        content = self.film("cover.png").read_bytes()
        size = struct.pack(">II", 65000, 65000)
        header = b"IHDR" + size + content[24:29]
        source.write_bytes(content[:12] + header + struct.pack(">I", zlib.crc32(header)) + content[33:])
        with self.assertRaisesRegex(Refusal, "has 65000x65000 pixels, more than a decoder can hold"):
            examine(source)

    def test_stream_is_cut_short_only_if_it_ends_at_the_duration_of_the_film(self) -> None:
        """A stream that ends elsewhere is complete, although its edit list is longer, as for a short audio track."""
        stream = _Stream(mock.Mock())
        stream.pts.extend(range(0, 2 * Gst.SECOND, Gst.SECOND // 50))
        stream.segments.append((Gst.SECOND // 2, 5 * Gst.SECOND // 2, 0, 0))
        for duration, expected in ((2, (3 * Gst.SECOND // 2, 2 * Gst.SECOND)), (3, None), (0, None)):
            self.assertEqual(stream.cut_short(duration * Gst.SECOND), expected)

    def test_film_that_gstreamer_reads_in_part_is_refused_with_a_command_that_copies_it(self) -> None:
        """qtdemux of 1.22 ends a stream too early: when its PTS instead of its stream time reaches the duration.

        qtdemux of 1.26 reads all frames. Then no film is refused.
        """
        source = self.batch.folder / "it's cut.mp4"
        cut = ["ffmpeg", "-nostdin", "-loglevel", "error", "-ss", "0.62", "-i", str(self.film("h264 aac.mp4"))]
        for maps, kind, tracks in (("0", "(audio|video)", 1), ("0:v", "video", 0)):
            subprocess.run([*cut, "-map", maps, "-c", "copy", "-y", str(source)], check=True, timeout=PATIENCE)
            words = f"reads only 0:00:01.* of the {kind} of .* list shows 0:00:01.78"
            refusal, film = refusal_of(source)
            if film is not None:
                self.assertEqual((len(film.frames), len(film.job["audio"])), (45, tracks))
                self.assertTrue(all(stream["end"] >= 1_780_000_000 for stream in film.job["audio"]))
                continue
            self.assertRegex(refusal, words)
            command = re.search("^ffmpeg .*", refusal, re.MULTILINE)[0]
            subprocess.run([*shlex.split(command), "-y"], check=True, capture_output=True, timeout=PATIENCE)
            copy = examine(source.with_suffix(".copy.mkv"))
            self.assertEqual((len(copy.frames), len(copy.job["audio"])), (60, tracks))

    def test_film_whose_frames_share_one_time_is_refused_with_a_command_that_copies_it(self) -> None:
        """GStreamer 1.26 reads the times of a GIF."""
        source = self.batch.folder / "moving.gif"
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=6",
                        str(source)], check=True, timeout=PATIENCE)
        refusal, film = refusal_of(source)
        if film is None:
            self.assertRegex(refusal, "gives most frames of .* the time of another one. ")
            command = re.search("^ffmpeg .*", refusal, re.MULTILINE)[0]
            subprocess.run(shlex.split(command), check=True, capture_output=True, timeout=PATIENCE)
            film = examine(source.with_suffix(".copy.mkv"))
        self.assertEqual((len(film.frames), film.frames.duration), (60, 6_000_000_000))

    def test_edit_list_with_several_parts_is_refused_with_a_command_that_converts_it(self) -> None:
        source = self.batch.folder / "it's in parts.mp4"
        with_parts(self.film("h264 aac.mp4"), source, [(0.08, 0.8), (1.28, 1.0)])
        with self.assertRaisesRegex(Refusal, "edit list of .* has several parts with frames") as refused:
            examine(source)
        command = re.search("^gst-launch-1.0 .*", str(refused.exception), re.MULTILINE)[0]
        subprocess.run(shlex.split(command), check=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(len(examine(source.with_suffix(".copy.mkv")).job["audio"]), 1)


if __name__ == "__main__":
    unittest.main()
