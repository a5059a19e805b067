"""Tests the parts of pipelines/look that need no window: settings, looks, undo, launch lines, size of the preview."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from look_case import CLIP, PATIENCE, TOP, make_film, needs_window

from gi.repository import Gst

Gst.init(None)

from output import Mistake  # noqa: E402
from preview import texts  # noqa: E402
from preview.look import Facts, History, Shelf, Source, at_preview_size, launch_line  # noqa: E402
from preview.player import PreviewSize, Shot  # noqa: E402
from preview.settings import governor, text_of  # noqa: E402
from render.fragments import SHARED  # noqa: E402


class SettingsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shelf = Shelf()
        self.addCleanup(self.shelf.close)

    def test_groups_are_those_of_the_pages(self) -> None:
        """Each table of the pages has the settings of one group, or of the general ones and those of the scale."""
        general, scale = texts.GROUPS["random-seed"], texts.GROUPS["scale-settings"]
        for page, settings, some in (("ntscfilter", self.shelf.picture, "snow-intensity"),
                                     ("tapeaudio", self.shelf.sound, "drop-outs")):
            text = (TOP / f"docs/elements/{page}.md").read_text(encoding="utf-8")
            found = set()
            shared = set() if page == "ntscfilter" else SHARED
            for table in text.split("\n### ")[1:]:
                names = {name for row in re.findall(r"^\| (`.*?`) \|", table, re.M)
                         for name in re.findall("`([a-z-]+)`", row)}
                groups = {general if settings[name].group == scale else settings[name].group
                          for name in names & settings.keys() - shared}
                self.assertLessEqual(len(groups), 1, table.partition("\n")[0])
                found |= names
            self.assertIn(some, found)
            self.assertLessEqual(settings.keys() - shared, found)

    def test_every_setting_has_the_range_and_the_default_of_its_property(self) -> None:
        element = Gst.ElementFactory.make("ntscfilter")
        self.assertGreater(len(self.shelf.picture), 50)
        for name, setting in self.shelf.picture.items():
            self.assertTrue(setting.blurb and setting.group and setting.label[0].isupper(), name)
            value = element.get_property(name)
            self.assertEqual(setting.default, getattr(value, "value_nick", value), name)
            if setting.kind in ("integer", "real"):
                self.assertLess(setting.low, setting.high)
                for number in (setting.low - 1, setting.low, setting.high, setting.high + 1):
                    element.set_property(name, setting.fitting(number))
                    self.assertEqual(element.get_property(name), setting.fitting(number), name)

    def test_a_slider_has_every_value_and_room_for_small_ones(self) -> None:
        for setting in [*self.shelf.picture.values(), *self.shelf.sound.values()]:
            if setting.has_slider:
                self.assertEqual((setting.value(0), setting.value(1)), (setting.low, setting.high), setting.name)
                place = setting.position(setting.default)
                self.assertTrue(setting.default in (setting.low, setting.high) or 0.04 < place < 0.96, setting.name)
                self.assertAlmostEqual(float(setting.value(place)), float(setting.default), places=setting.digits)
        self.assertGreater(self.shelf.picture["snow-intensity"].position(0.00025), 0.2)

    def test_a_toggle_governs_settings_with_its_name(self) -> None:
        for name, toggle in (("luma-noise-detail", "luma-noise"), ("vhs-edge-wave", "vhs-edge-wave-enabled"),
                             ("vhs-edge-wave-speed", "vhs-edge-wave-enabled"), ("luma-smear", None), ("ringing", None)):
            self.assertEqual(governor(name, self.shelf.picture), toggle)

    def test_a_text_has_no_more_digits_than_the_property(self) -> None:
        for value, text in ((True, "true"), (7, "7"), ("lp", "lp"), (0.05000000074505806, "0.05"), (0.0, "0"),
                            (2.499999936844688e-05, "2.5e-05"), (-72.0, "-72"),
                            (100.0, "100")):
            self.assertEqual(text_of(value), text)


class ShelfTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shelf = Shelf()
        self.addCleanup(self.shelf.close)
        folder = tempfile.TemporaryDirectory(prefix="look json ")
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "look.json"

    def test_a_look_is_a_preset_of_both_elements(self) -> None:
        look = self.shelf.look("worn-tape").with_picture("snow-intensity", 7.5).with_sound("buzz", -30.0)
        self.shelf.save("My own", look)
        self.assertIn("My own", self.shelf.names())
        for name in ("worn-tape", "My own"):
            self.assertEqual(Shelf().look(name), look if name == "My own" else self.shelf.look("worn-tape"))
        for name in ("", " ", "_presets_", "a[b", "a\nb"):
            with self.assertRaises(Mistake):
                self.shelf.save(name, look)

    def test_json_keeps_the_picture(self) -> None:
        look = self.shelf.look("bad-tracking")
        self.file.write_text(self.shelf.json(look), encoding="utf-8")
        self.assertEqual(json.loads(self.shelf.json(look))["version"], 1)
        read, warning = self.shelf.read_json(str(self.file), self.shelf.first)
        self.assertEqual((read.picture, warning), (look.picture, ""))
        # The sound follows the settings that both elements have.
        self.assertEqual(read.sound["tracking-noise-height"], look.picture["tracking-noise-height"])

    def test_a_preset_of_ntscqt_is_read(self) -> None:
        self.file.write_text('{"_composite_preemphasis": 4, "_video_noise": 700, "unheard_of": 1}', encoding="utf-8")
        look, warning = self.shelf.read_json(str(self.file), self.shelf.first)
        self.assertNotEqual(look.picture, self.shelf.first.picture)
        self.assertIn("unheard_of", warning)

    def test_no_preset_is_refused_and_changes_nothing(self) -> None:
        before = self.shelf.look("vhs-ep")
        for text in ("[", '{"version": 2}', '{"version": 1, "snow_intensity": "much"}'):
            self.file.write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(Mistake, "is not a valid preset"):
                self.shelf.read_json(str(self.file), before)
        with self.assertRaises(Mistake):
            self.shelf.read_json(str(self.file) + ".none", before)
        self.file.write_text(self.shelf.json(before), encoding="utf-8")
        self.assertEqual(self.shelf.read_json(str(self.file), before), (before, ""))


class HistoryTest(unittest.TestCase):
    def test_what_was_undone_is_done_again(self) -> None:
        history = History("a")
        for number, state in enumerate("bcd"):
            history.change(state, state, number)
        self.assertEqual(self.states(history, -1, -1, -1, -1, 1, 1), ["c", "b", "a", "a", "b", "c"])
        history.change("e", "e", 9)
        self.assertFalse(history.can_redo)
        self.assertEqual(self.states(history, 1, -1, -1), ["e", "c", "b"])
        self.assertTrue(history.can_undo and history.can_redo)

    def test_a_dragged_slider_is_one_step(self) -> None:
        history = History(0)
        for state, what, now in ((1, "x", 0), (2, "x", 0.5), (3, "x", 1.4), (4, "x", 9), (5, "y", 9.1), (5, "z", 9.2)):
            history.change(state, what, now)
        self.assertEqual(self.states(history, -1, -1, -1), [4, 3, 0])
        self.assertFalse(history.can_undo)

    @staticmethod
    def states(history: History, *steps: int) -> list:
        """The state after each step of undo, or for 1 of redo."""
        found = []
        for step in steps:
            history.move(step)
            found.append(history.state)
        return found


class SizeTest(unittest.TestCase):
    def play(self, size: PreviewSize, frames: int, cost: float) -> list[int]:
        """Renders frames at 25 frames per second; `cost` in seconds is that of a million pixels. Returns the sizes."""
        sizes = [size.rows]
        for _ in range(frames):
            if size.rendered(cost * size.rows ** 2 * 16 / 9 / 1e6, 0.04):
                sizes.append(size.rows)
        return sizes

    def test_a_slow_machine_gets_a_small_preview_and_keeps_it(self) -> None:
        size = PreviewSize(1080)
        self.assertEqual(self.play(size, 40, 0.1), [720, 540, 405])
        self.assertEqual(self.play(size, 3000, 0.1), [405])

    def test_a_preview_grows_when_the_machine_is_fast_again(self) -> None:
        size = PreviewSize(2160)
        self.play(size, 100, 0.5)
        self.assertLess(size.rows, 400)
        self.assertEqual(self.play(size, 2000, 0.0001)[-1], 2160)

    def test_one_slow_frame_changes_nothing(self) -> None:
        size = PreviewSize(720)
        self.play(size, 20, 0.005)
        self.assertFalse(size.rendered(0.1, 0.04))

    def test_a_small_film_keeps_its_size(self) -> None:
        self.assertEqual(self.play(PreviewSize(100), 100, 9), [100])


class LineTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shelf = Shelf()
        self.addCleanup(self.shelf.close)
        folder = tempfile.TemporaryDirectory(prefix="look line ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_launch_line_plays_in_a_shell(self) -> None:
        film = make_film(self.folder / 'it\'s "a $film"! \\o.mkv', 1)
        look = self.shelf.first.with_picture("snow-intensity", 2.5).with_picture("vhs-tape-speed", "ep")
        facts = Facts(320, 240, "25/1", 10**9, has_sound=True)
        line = launch_line(Source(str(film)), facts, look, self.shelf.defaults)
        self.assertIn(" ntscfilter snow-intensity=2.5 vhs-tape-speed=ep scale-with-video-size=true ", line)
        self.assertRegex(line, " tapeaudio tape-speed=ep .*snow-intensity=2.5 .*video-framerate=25/1 ")
        line = line.replace("autovideosink", "fakesink").replace("autoaudiosink", "fakesink")
        run = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stderr + line)
        self.assertNotIn("WARNING", run.stderr)

    def test_a_line_of_a_camera_and_of_a_picture_has_no_sound(self) -> None:
        look = self.shelf.defaults
        line = launch_line(Source(camera="v4l2src device=/dev/video2"), Facts(64, 48), look, look)
        camera = " ".join(shlex.split(line))
        self.assertRegex(camera, "^gst-launch-1.0 v4l2src device=/dev/video2 ! .* ntscfilter ! .* ! autovideosink$")
        line = launch_line(Source("/a.png"), Facts(64, 48, is_still=True), look, look)
        picture = " ".join(shlex.split(line))
        self.assertIn(" ! imagefreeze ! video/x-raw,framerate=30/1 ! videoconvert ! videoflip video-dir", picture)
        with self.assertRaises(Mistake):
            launch_line(Source("/a\\"), Facts(64, 48), look, look)


@needs_window
class PreviewTest(unittest.TestCase):
    """A scaled frame has the look of the whole one."""

    def setUp(self) -> None:
        from preview.renderer import Filter, Picture

        self.read = Picture
        self.shelf = Shelf()
        self.addCleanup(self.shelf.close)
        self.filter = Filter(self.shelf.picture)
        self.addCleanup(self.filter.close)

    def edge(self, picture: dict, share: float) -> float:
        """Position of the edge between red and blue in the middle row, as a share of the width."""
        width, height = round(1280 * share), round(720 * share)
        row = bytes((0, 0, 200, 255)) * (width // 2) + bytes((200, 0, 0, 255)) * (width - width // 2)
        buffer = Gst.Buffer.new_wrapped(row * height)
        buffer.pts = 0
        sample = Gst.Sample.new(buffer, Gst.Caps.from_string(
            f"video/x-raw,format=BGRA,width={width},height={height},framerate=30/1,pixel-aspect-ratio=1/1"), None, None)
        shown = self.read(self.filter.apply(Shot(sample, 0, (1280, 720), False), picture))
        begin = shown.width * 4 * (shown.height // 2)
        pixels = [shown.data[begin + 4 * x:begin + 4 * x + 3] for x in range(shown.width)]
        # Without colour, the left end is grey.
        return next(x for x, (blue, _, red) in enumerate(pixels) if 4 * x > width and blue > red + 60) / shown.width

    def test_colour_is_displaced_by_the_same_share(self) -> None:
        silent = {name: False for name, each in self.shelf.picture.items()
                  if each.kind == "toggle" and not name.startswith("scale")}
        for follows, scales in ((True, True), (False, True), (False, False)):
            picture = self.shelf.defaults.picture | silent | {
                "scale-with-video-size": follows, "scale-settings": scales, "bandwidth-scale": 2.0,
                "chroma-delay-horizontal": 8.0, "snow-intensity": 0.0, "chroma-phase-noise-intensity": 0.0}
            whole = self.edge(picture, 1)
            self.assertGreater(whole, 0.503)
            for share in (0.5, 0.25):
                self.assertAlmostEqual(self.edge(picture, share), whole, delta=0.006, msg=f"{follows} {scales} {share}")

    def test_a_frame_of_the_whole_size_has_the_settings_as_they_are(self) -> None:
        picture = self.shelf.defaults.picture
        self.assertIs(at_preview_size(picture, 1, 1), picture)


@needs_window
class ProgramTest(unittest.TestCase):
    """The script as a user starts it, without a display."""

    def run_look(self, *arguments: str) -> subprocess.CompletedProcess:
        environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
        return subprocess.run([TOP / "pipelines/look", *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              env=environment)

    def test_without_a_display_a_sentence_names_the_other_programs(self) -> None:
        # GTK 4.16 and newer prints a line about a word of GDK_DEBUG that it does not know.
        with mock.patch.dict(os.environ):
            os.environ.pop("GDK_DEBUG")
            run = self.run_look(str(CLIP))
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, "^There is no display for a window. .* pipelines/play looks .*\n$")

    def test_without_gtk_a_sentence_names_what_is_missing(self) -> None:
        program = ("import gi, runpy, sys\n"
                   "def fail(name, version): raise ValueError(name)\n"
                   "gi.require_version = fail\n"
                   f"sys.path.insert(0, {str(TOP / 'pipelines')!r})\n"
                   "runpy.run_module('preview', run_name='__main__')\n")
        run = subprocess.run(["/usr/bin/python3", "-B", "-c", program], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((run.returncode, run.stderr), (1, texts.NO_GTK + "\n"))

    def test_an_unknown_argument_is_refused(self) -> None:
        for argument in ("none.mp4", "--serve", "speed=3"):
            run = self.run_look(argument)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn(f'"{argument}" is neither a file', run.stderr)


if __name__ == "__main__":
    unittest.main()
