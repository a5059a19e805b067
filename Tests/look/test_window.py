"""Tests the window of pipelines/look on a virtual display."""

from __future__ import annotations

import glob
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import threading
import time
import unittest
from contextlib import suppress
from pathlib import Path

from look_case import LookCase, make_film
from patience import PATIENCE

# Longest time in seconds that the main loop may take for anything.
STALL = 0.2


class Watch:
    """Measures how long a call takes, without the time in which a thread of this process waits for a processor."""

    def __init__(self) -> None:
        self._before, self._begin = self._waited(), time.monotonic()

    @property
    def seconds(self) -> float:
        took, waited = time.monotonic() - self._begin, self._waited()
        return took - sum(seconds - self._before.get(thread, 0) for thread, seconds in waited.items())

    @staticmethod
    def _waited() -> dict[str, float]:
        """Seconds in which each thread was ready, but other threads had the processors."""
        found = {}
        for thread in glob.glob("/proc/self/task/*/schedstat"):
            # A thread may end meanwhile.
            with suppress(OSError):
                found[thread] = int(Path(thread).read_text(encoding="ascii").split()[1]) / 1e9
        return found


class ControlTest(LookCase):
    def test_every_control_changes_the_picture(self) -> None:
        window = self.window
        # With the defaults, snow is so rare that this frame may have none.
        base = window.look.with_picture("snow-intensity", 2.0)
        rows = window.controls["picture"].rows
        self.assertEqual(rows.keys(), base.picture.keys())
        for name, row in rows.items():
            # A setting without effect by itself, and one that gives it an effect.
            required = {"pal-decoder": ("standard", "pal"), "ghost-delay": ("ghost-level", 0.5),
                        "ghost-phase": ("ghost-level", 0.5), "co-channel-offset": ("co-channel-level", 0.5),
                        "chroma-delay-position": ("chroma-delay-horizontal", 8.0)}
            start = base.with_picture(*required[name]) if name in required else base
            window.set_look(start, f"base of {name}")
            before, is_changed = self.drawn(), False
            for turn in self.turns(row):
                turn()
                self.assertNotEqual(window.look, start, name)
                is_changed |= self.drawn() != before
                if is_changed:
                    break
            self.assertTrue(is_changed, name)
            row.reset.emit("clicked")
            self.assertEqual(window.look.picture[name], row.setting.default, name)

    @staticmethod
    def turns(row: object) -> list:
        """Calls that give a control each other choice, or an end of its range with the slider and with the entry."""
        setting, entry = row.setting, row.entry
        if setting.kind == "toggle":
            return [lambda: entry.set_active(not entry.get_active())]
        if setting.kind == "choice":
            present = entry.get_selected()
            return [lambda number=number: entry.set_selected(number)
                    for number in range(len(setting.nicks)) if number != present]
        ends = sorted((setting.low, setting.high), key=lambda end: -abs(end - entry.get_value()))
        slider = row.slider
        slides = [lambda end=end: slider.set_value(setting.position(end)) for end in ends if slider is not None]
        return [*slides, *(lambda end=end: entry.set_value(end) for end in ends)]

    def test_every_control_of_the_sound_sets_the_playing_element(self) -> None:
        window = self.window
        # The clip has no sound.
        self.open_film()
        element = window.player.playback.sound
        rows = window.controls["sound"].rows
        self.assertGreater(len(rows), 20)
        for name, row in rows.items():
            self.turns(row)[0]()
            value = element.get_property(name)
            self.assertEqual(getattr(value, "value_nick", value), window.look.sound[name])
            self.assertNotEqual(window.look.sound[name], window.shelf.defaults.sound[name], name)
        # Settings of both elements are on the page of the picture.
        window.controls["picture"].rows["tracking-noise-height"].entry.set_value(33)
        self.assertEqual(element.get_property("tracking-noise-height"), 33)
        self.assertEqual((element.get_property("video-width"), element.get_property("video-height")), (320, 240))

    def open_film(self) -> Path:
        from preview.look import Source

        film = make_film(self.folder / "film.mkv")
        self.open(Source(str(film)))
        self.until(lambda: self.window.facts.has_sound, "the film has sound")
        return film

    def test_everything_has_a_name_for_a_screen_reader(self) -> None:
        from gi.repository import Gtk

        kinds = (Gtk.Button, Gtk.Switch, Gtk.DropDown, Gtk.SpinButton, Gtk.Scale, Gtk.SearchEntry, Gtk.MenuButton,
                 Gtk.ProgressBar)
        seen = []

        def check(widget: Gtk.Widget) -> None:
            if isinstance(widget, kinds):
                seen.append(widget)
                if isinstance(widget, Gtk.DropDown):
                    # The button in it has the focus.
                    check(widget.get_first_child())
                has_text = isinstance(widget, Gtk.Button) and bool(widget.get_label())
                self.assertTrue(has_text or Gtk.test_accessible_has_property(widget, Gtk.AccessibleProperty.LABEL),
                                f"{widget} {widget.get_tooltip_text()}")
                return
            child = widget.get_first_child()
            # The buttons of the window's frame, and of the switches of pages, are GTK's own.
            if isinstance(widget, (Gtk.WindowControls, Gtk.StackSwitcher)):
                return
            while child is not None:
                check(child)
                child = child.get_next_sibling()

        check(self.window)
        self.assertGreater(len(seen), 150)

    def test_a_search_shows_what_matches(self) -> None:
        window = self.window
        for text, expected in (("edge wave speed", ["vhs-edge-wave-speed"]), ("minutes of arc", ["azimuth-error"]),
                               ("nonsense", [])):
            window.search_entry.set_text(text)
            self.until(lambda: expected == [name for controls in window.controls.values()
                                            for name, row in controls.rows.items() if row.get_visible()], text)
            self.assertEqual(window.nothing_found.get_visible(), not expected)
        self.assertEqual(window.pages.get_visible_child_name(), "sound")


class FilmTest(LookCase):
    def test_frames_are_stepped_and_have_the_same_noise_again(self) -> None:
        window = self.window
        frame, begin = window.facts.frame_duration, window.rendered.shot.position
        seen = {}

        def number() -> int:
            return (window.rendered.shot.position + 1000) // frame

        first = number()
        for step, expected in (("forward", 1), ("forward", 2), ("back", 1), ("back", 0), ("back", -1)):
            self.act(step)
            self.until(lambda: number() == first + expected, f"frame {expected}")
            data = self.drawn()
            self.assertEqual(seen.setdefault(expected, data), data)
        self.assertEqual(len(set(seen.values())), 4)
        self.assertGreater(begin, 0)

    def test_a_film_plays_to_its_end_and_again(self) -> None:
        from preview.look import Source

        window = self.window
        self.open(Source(str(make_film(self.folder / "short.mkv", 1))))
        self.until(lambda: not window.is_playing, "the film ends")
        window.lookup_action("loop").change_state(_true())
        window.set_playing(True)
        places = []
        self.until(lambda: places.append(window.rendered.shot.position) or
                   sum(after < before - 5e8 for before, after in zip(places, places[1:])) >= 2, "the film is repeated")
        self.assertTrue(window.is_playing)

    def test_the_left_side_is_what_is_chosen(self) -> None:
        window, view = self.window, self.window.view
        self.drawn()
        original = view.left.data
        self.assertNotEqual(original, view.right.data)
        names = list(window.looks)
        window.transport.compare.set_selected(3 + names.index("vhs-ep"))
        self.until(lambda: window.rendered.wish.left == window.looks["vhs-ep"].picture, "another look")
        self.assertNotIn(view.left.data, (original, view.right.data))
        window.set_look(window.looks["vhs-ep"], "look")
        self.drawn()
        self.assertEqual(view.left.data, view.right.data)
        self.assertTrue(window.strip.buttons["vhs-ep"].get_active())
        window._choose = lambda title, on_path, name="": on_path(str(self.folder / "reference.png"))
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x36", "-frames:v", "1",
                        self.folder / "reference.png"], check=True, timeout=PATIENCE)
        window.transport.compare.set_selected(2)
        self.until(lambda: view.left is not None and view.left.width == 64, "the reference")
        self.assertLess(view.left.data[0], 40)
        window.transport.compare.set_selected(0)
        self.until(lambda: view.left is None, "nothing")

    def test_the_border_moves_and_the_zoom_magnifies(self) -> None:
        view = self.window.view
        self.until(lambda: view.get_width() > 0, "the view has a size")
        x, y, width, height = view.place()
        self.assertLessEqual((x + width, y + height), (view.get_width(), view.get_height()))
        self.assertAlmostEqual(width / height, 1280 / 720, delta=0.01)
        view.move_border(7)
        self.assertEqual(view.border, 1)
        for _ in range(9):
            self.act("zoom-in")
        self.assertEqual((view.zoom, view.place()[2]), (8, 8 * 1280))
        view.move_border(0)
        self.until(self.are_squares, "pixels are squares")
        self.assertEqual(self.window.transport.zoom.get_selected(), 6)
        self.window.transport.zoom.set_selected(0)
        self.assertEqual(view.place(), (x, y, width, height))

    @unittest.skipUnless(shutil.which("xdotool"), "xdotool, which moves the pointer, is missing.")
    def test_the_pointer_and_the_keyboard_move_the_border(self) -> None:
        window, view = self.window, self.window.view
        self.until(lambda: view.get_width() > 0, "the view has a size")
        x, _, width, _ = view.place()

        def drag(begin: float, end: float) -> None:
            """Drags from one share of the picture to another."""
            points = []
            for share in (begin, end):
                place = view.translate_coordinates(window, x + share * width, view.get_height() / 2)
                points.append([str(round(sum(each))) for each in zip(place, window.get_surface_transform())])
            subprocess.run(["xdotool", "mousemove", *points[0], "mousedown", "1", "mousemove", *points[1], "mouseup", "1"],
                           check=True, timeout=PATIENCE)

        drag(0.5, 0.25)
        self.until(lambda: abs(view.border - 0.25) < 0.01, "the border is dragged")
        # Elsewhere, the picture is dragged, and the border has the focus.
        drag(0.75, 0.5)
        subprocess.run(["xdotool", "key", "Right"], check=True, timeout=PATIENCE)
        self.until(lambda: abs(view.border - 0.27) < 0.01, "the border is moved by a key")

    def are_squares(self) -> bool:
        """Whether each pixel of the film is a square of 8 pixels of one colour on the display."""
        from gi.repository import GLib

        context, width, view = GLib.MainContext.default(), 600, self.window.view
        # Drawing has a lower priority than other events.
        while context.pending():
            context.iteration(False)
        x, y = view.translate_coordinates(self.window, 0, view.get_height() / 2)
        grab = ["ffmpeg", "-v", "error", "-f", "x11grab", "-video_size", f"{width}x1", "-grab_x", str(round(x) + 40),
                "-grab_y", str(round(y)), "-draw_mouse", "0", "-i", os.environ["DISPLAY"], "-frames:v", "1",
                "-f", "rawvideo", "-pix_fmt", "bgr0", "-"]
        row = subprocess.run(grab, check=True, capture_output=True, timeout=PATIENCE).stdout
        pixels = [row[4 * place:4 * place + 3] for place in range(width)]
        begins = [place for place in range(1, width) if pixels[place] != pixels[place - 1]]
        return len(begins) > 20 and len({place % 8 for place in begins}) == 1

    def test_thumbnails_are_those_of_the_frame(self) -> None:
        strip = self.window.strip
        self.assertEqual(list(strip.buttons), list(self.window.looks))
        self.until(lambda: all(picture.get_paintable() for picture in strip.pictures.values()), "thumbnails")
        before = {name: picture.get_paintable() for name, picture in strip.pictures.items()}
        self.pause_at(2.5)
        self.until(lambda: all(picture.get_paintable() is not before[name]
                               for name, picture in strip.pictures.items()), "others")

    def test_a_picture_and_a_camera_are_shown(self) -> None:
        from preview.look import Source

        picture = self.folder / "still.png"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x200", "-frames:v", "1", picture],
                       check=True, timeout=PATIENCE)
        window = self.window
        dot = self.folder / "dot.png"
        subprocess.run(["ffmpeg", "-v", "error", "-i", picture, "-vf", "scale=1:1", dot], check=True, timeout=PATIENCE)
        for source, height in ((Source(str(dot)), 1), (Source(str(picture)), 200),
                               (Source(camera="videotestsrc is-live=true ! video/x-raw,height=144"), 144)):
            self.open(source)
            self.until(lambda: window.rendered.right.height == height, "it is shown")
            # The noise moves.
            first = window.rendered.right.data
            self.until(lambda: window.rendered.right.data != first, "it plays")
            self.assertFalse(window.lookup_action("render").get_enabled())

    def test_alpha_of_a_picture_is_ignored(self) -> None:
        from preview.look import Source

        path = self.folder / "alpha.png"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red@0.5:s=64x48,format=rgba",
                        "-frames:v", "1", path], check=True, timeout=PATIENCE)
        self.open(Source(str(path)))
        self.until(lambda: self.window.rendered.right.height == 48, "it is shown")
        self.assertEqual(set(self.window.rendered.right.data[3::4]), {255})

    def test_a_picture_is_saved_in_the_size_of_the_source(self) -> None:
        window, asked = self.window, []
        # The preview of a playing film is smaller.
        window._choose = lambda title, on_path, name: asked.append((on_path, name))
        window.set_look(window.looks["worn-tape"], "look")
        window.set_playing(True)
        window.player.do(window.player.playback.set_rows, 240)
        self.until(lambda: window.rendered.shot.is_playing and window.rendered.right.height < 720, "the film plays")
        self.act("save-picture")
        (on_path, name), path = asked[0], self.folder / "picture.png"
        self.assertEqual((name, window.is_playing), ("bigbuckbunny-look.png", False))
        on_path(str(path))
        self.until(lambda: self.said, "the picture is saved")
        self.until(lambda: window.rendered.right.height == 720, "the paused film is shown")
        self.assertEqual(self.pixels(path), (1280, 720, self.drawn()))
        # The file chooser asks before it names an existing file, as for any other program.
        before = path.read_bytes()
        window.set_look(window.looks["vhs-sp"], "look")
        on_path(str(path))
        self.until(lambda: path.read_bytes() != before, "it is replaced")
        for target in (self.clip, self.folder):
            self.said.clear()
            window.write_picture(str(target))
            self.until(lambda: self.said, "it is refused")
        self.assertEqual(os.listdir(self.folder), ["picture.png"])

    def test_no_picture_replaces_a_file_that_another_program_has_made_meanwhile(self) -> None:
        other, is_made = self.folder / "other.png", threading.Event()
        self.window.player.do(is_made.wait)
        self.window.write_picture(str(other))
        other.write_text("other", encoding="utf-8")
        is_made.set()
        self.until(lambda: self.said, "it is refused")
        self.assertIn("exists", self.said[0])
        self.assertEqual(other.read_text(encoding="utf-8"), "other")

    @staticmethod
    def pixels(path: Path) -> tuple[int, int, bytes]:
        """Width, height and pixels of a picture, as the window has them."""
        run = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "bgra", "-"],
                             check=True, capture_output=True, timeout=PATIENCE)
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        return width, height, run.stdout

    def test_what_cannot_be_opened_is_said_once_and_the_next_source_plays(self) -> None:
        from preview.look import Source

        window, film = self.window, make_film(self.folder / "film.mkv")
        text, sound, begin = (self.folder / name for name in ("a.txt", "a.wav", "begin.mkv"))
        text.write_text("no film", encoding="utf-8")
        begin.write_bytes(film.read_bytes()[:2000])
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", sound], check=True, timeout=PATIENCE)
        for path in (text, sound, begin, self.folder / "none.mkv", self.folder):
            self.said.clear()
            window.open_file(str(path))
            self.until(lambda: self.said, f"{path} is refused")
            # A picture beside the film may be one of these, too.
            window.open_reference(str(path))
            self.until(lambda: len(self.said) >= 2, f"{path} is no reference")
            self.assertEqual(len(self.said), 2)
            self.assertTrue(all(path.name in each for each in self.said), self.said)
        self.open(Source(str(film)))
        self.said.clear()
        window.open_file(str(text))
        self.until(lambda: self.said, "another file is refused")
        self.act("play")
        self.until(lambda: window.player.playback is not None and window.is_playing, "the film plays again")
        # GStreamer's URI of this name has escaped bytes, and a launch line cannot contain it.
        odd = self.folder / 'it\'s "a" #1 $film! %41 \udcff.mkv'
        os.rename(film, odd)
        self.open(Source(str(odd)))
        self.until(lambda: window.rendered.shot.full == (320, 240), "the film is shown")
        self.said.clear()
        self.act("copy-line")
        self.until(lambda: self.said, "the mistake is said")
        self.assertIn("cannot be in a launch line", self.said[0])

    def test_no_film_is_overwritten(self) -> None:
        from preview.look import Source

        film = make_film(self.folder / "film.mkv")
        before = film.read_bytes()
        self.open(Source(str(film)))
        for path in (film, self.folder):
            self.said.clear()
            self.window.write_json(str(path))
            self.until(lambda: self.said, "it is refused")
        self.window.render_to(str(film))
        self.until(lambda: not self.window.rendering.is_running, "rendering ends")
        self.assertIn("same file", self.window.rendering.bar.get_text())
        self.assertEqual(film.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["film.mkv"])
        # A file of another program, made after the user has chosen the name.
        other, is_made = self.folder / "other.json", threading.Event()
        self.window._background.submit(is_made.wait)
        self.said.clear()
        self.window.write_json(str(other))
        other.write_text("other", encoding="utf-8")
        is_made.set()
        self.until(lambda: self.said, "it is refused")
        self.assertIn("exists", self.said[0])
        self.assertEqual(other.read_text(encoding="utf-8"), "other")

    def test_files_are_written_and_read(self) -> None:
        from preview import texts

        window = self.window
        window.set_look(window.looks["game-console"], "look")
        window.write_json(str(self.folder / "a.json"))
        self.until(lambda: (self.folder / "a.json").exists(), "the look is exported")
        window.store_preset("Mine")
        self.assertIn("Mine", window.strip.buttons)
        self.act("reset-all")
        window.read_json(str(self.folder / "a.json"))
        self.assertEqual(window.look.picture, window.looks["game-console"].picture)
        self.act("undo")
        self.assertEqual(window.look, window.shelf.first)
        window._try(lambda: window.read_json(str(self.folder / "none.json")))
        self.act("copy-line")
        self.assertIn(texts.COPIED, self.said)
        self.until(lambda: any("none.json" in text for text in self.said), "the mistake is said")


class CameraTest(LookCase):
    """A test source is registered in place of v4l2src in this process."""

    def setUp(self) -> None:
        super().setUp()
        from gi.repository import Gst

        kind = Gst.ElementFactory.make("videotestsrc").__gtype__
        self.assertTrue(Gst.Element.register(None, "v4l2src", Gst.Rank.NONE, kind))

    def test_a_camera_plays_until_it_is_unplugged_and_again(self) -> None:
        window = self.window
        self.open_camera(320, 240)
        # It is live: the ball moves in the picture without the look, too.
        first = window.view.left.data
        self.until(lambda: window.view.left.data != first, "it plays")
        self.assertFalse(window.lookup_action("render").get_enabled())
        # Without the composite signal, the picture is that of the camera.
        before = self.difference()
        window.controls["picture"].rows["snow-intensity"].entry.set_value(100)
        self.drawn()
        self.assertGreater(self.difference(), 2 * before + 1)
        for _ in range(2):
            self.said.clear()
            playback, errors, is_held = window.player.playback, [], threading.Event()
            playback.bus.connect("message::error", lambda *_: errors.append(1))
            # Both errors arrive before the thread of the player ends the pipeline.
            window.player.do(is_held.wait)
            self.unplug()
            self.until(lambda: len(errors) == 2, "there are two errors")
            is_held.set()
            self.until(lambda: window.player.playback is None, "the end is noticed")
            self.assertEqual(self.said, ["Camera has stopped: Could not read from resource. Play opens it again."])
            self.assertFalse(window.is_playing)
            shown = window.rendered
            self.act("play")
            self.until(lambda: window.is_playing and window.rendered is not shown, "it plays again")
        self.act("camera")
        self.until(lambda: window.player.playback is not None and window.is_playing, "it is opened again")
        from preview.look import Source
        self.open(Source(str(self.clip)))
        self.pause_at(1.25)

    def test_a_paused_camera_has_its_own_size_and_is_saved_in_it(self) -> None:
        window, path = self.window, self.folder / "camera.png"
        self.open_camera(1200, 900)
        # The preview of a playing camera has at most 720 rows at first.
        self.until(lambda: window.rendered.right.height == 720, "it plays")
        window._choose = lambda title, on_path, name: on_path(str(path))
        self.act("save-picture")
        self.until(lambda: self.said, "the picture is saved")
        self.until(lambda: window.rendered.right.height == 900, "the paused camera is shown")
        self.assertEqual(FilmTest.pixels(path), (1200, 900, self.drawn()))

    def test_the_size_of_the_preview_changes_while_a_frame_of_another_size_passes(self) -> None:
        from gi.repository import Gst

        window = self.window
        self.open_camera(320, 240)
        playback = window.player.playback

        def on_frame(_: Gst.Pad, __: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
            playback.set_rows(120)
            return Gst.PadProbeReturn.REMOVE

        playback._scale.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, on_frame)
        self.until(lambda: self.said or window.rendered.right.height == 120, "the size changes")
        self.assertEqual(self.said, [])

    def open_camera(self, width: int, height: int) -> None:
        window = self.window
        self.camera = window._camera = ("v4l2src is-live=true pattern=ball ! capsfilter name=cable ! "
                                        f"video/x-raw,width={width},height={height},framerate=30/1")
        self.act("camera")
        self.until(lambda: window.source.camera == self.camera and window.rendered.shot.full == (width, height)
                   and window.is_playing, "the camera is open")

    def unplug(self) -> None:
        """v4l2src posts an error of its own, and the class of sources another one, because the stream has ended."""
        from gi.repository import GLib, Gst

        cable = self.window.player.playback.pipeline.get_by_name("cable")
        error = GLib.Error.new_literal(
            Gst.ResourceError.quark(), "Could not read from resource.", Gst.ResourceError.READ)
        cable.post_message(Gst.Message.new_error(cable, error, ""))
        cable.set_property("caps", Gst.Caps.from_string("audio/x-raw"))

    def difference(self) -> float:
        """Mean difference between both sides, of each 97th value."""
        pairs = list(zip(self.window.view.left.data[::97], self.window.view.right.data[::97]))
        return sum(abs(left - right) for left, right in pairs) / len(pairs)


@unittest.skipUnless(glob.glob("/dev/pts/ptmx"), "without pseudo terminals, progress is printed every 10 s only")
class RenderTest(LookCase):
    def test_a_cancelled_film_is_rendered_later_and_an_interrupted_window_closes(self) -> None:
        from preview import texts
        from preview.look import Source

        window, output = self.window, self.folder / "o u't.mkv"
        self.open(Source(str(make_film(self.folder / "fi l'm.mkv", 24, "640x480"))))
        self.until(lambda: window.facts.has_sound, "the film is open")
        window.set_playing(False)
        window.set_look(window.looks["bad-tracking"], "look")
        window.render_to(str(output))
        rendering = window.rendering
        # A machine with one processor renders no segments.
        self.until(lambda: re.search("segment [1-9]|in one pass", rendering.bar.get_text()) or not rendering.is_running,
                   "a segment is finished")
        rendering.cancel()
        self.until(lambda: not rendering.is_running, "it is cancelled")
        self.assertFalse(output.exists(), rendering.bar.get_text())
        self.assertTrue(rendering.buttons[texts.RESTART].get_visible())
        has_segments = Path(f"{output}.batch").exists()
        self.assertEqual(rendering.buttons[texts.RESUME].get_visible(), has_segments)
        rendering.buttons[texts.RESUME if has_segments else texts.RESTART].emit("clicked")
        lines = []
        self.until(lambda: lines.append(rendering.bar.get_text()) or not rendering.is_running, "it is rendered")
        self.assertTrue(output.exists(), lines[-1])
        self.assertIn("600 frames", lines[-1])
        if has_segments:
            # The finished segment is not rendered again.
            self.assertFalse([line for line in lines if "%  segment 0" in line])
        self.assertEqual(rendering.bar.get_fraction(), 1)
        window.render_to(str(output))
        self.until(lambda: "%  segment" in rendering.bar.get_text() or not rendering.is_running, "it renders again")
        self.assertTrue(rendering.is_running, rendering.bar.get_text())
        before = output.read_bytes()
        os.kill(os.getpid(), signal.SIGINT)
        self.until(lambda: not self.program.get_windows() and not rendering.is_running, "the window closes")
        self.assertEqual(output.read_bytes(), before)


class RandomTest(LookCase):
    operations = 1000

    def test_random_operations_neither_crash_nor_stall(self) -> None:
        from gi.repository import Adw, GLib
        from preview.look import Source

        chance, window, context = random.Random(34), self.window, GLib.MainContext.default()
        films = [str(make_film(self.folder / f"{size}.mkv", 2, size)) for size in ("640x480", "320x240")]
        rows = [row for controls in window.controls.values() for row in controls.rows.values()]
        actions = ("undo redo play back forward zoom-in zoom-out reset-all loop mute copy-line").split()
        kinds = {
            "setting": lambda: chance.choice(ControlTest.turns(chance.choice(rows)))(),
            "action": lambda: self.act(chance.choice(actions)),
            "look": lambda: chance.choice(list(window.strip.buttons.values())).emit("clicked"),
            "seek": lambda: window.player.seek(chance.randrange(4 * 10**9)),
            "border": lambda: window.view.move_border(chance.random()),
            "compare": lambda: window.transport.compare.set_selected(chance.choice([0, 1, 3, 4, 9])),
            "search": lambda: window.search_entry.set_text(chance.choice(["", "noise", "vhs", "x y"])),
            "panel": lambda: window.flap.set_reveal_flap(chance.random() < 0.5),
            "open": lambda: window.open_source(Source(chance.choice([*films, str(self.clip)]))),
            "style": lambda: Adw.StyleManager.get_default().set_color_scheme(
                chance.choice([Adw.ColorScheme.FORCE_DARK, Adw.ColorScheme.FORCE_LIGHT])),
        }
        weights = {"setting": 40, "action": 20, "look": 8, "seek": 10, "open": 1, "style": 1}
        slow, tick = [], GLib.timeout_add(5, lambda: True)
        for kind in chance.choices(list(kinds), [weights.get(kind, 4) for kind in kinds], k=self.operations):
            for step in (kinds[kind], *[lambda: context.iteration(True)] * 3):
                watch = Watch()
                step()
                if (took := watch.seconds) > STALL:
                    slow.append(f"{kind} {took:.2f} s")
        GLib.source_remove(tick)
        self.assertEqual(slow, [])
        window.lookup_action("loop").change_state(GLib.Variant.new_boolean(False))
        self.open(Source(films[0]))
        self.until(lambda: window.facts.height == 480, "the film is open")
        self.pause_at(0.5)
        window.set_look(window.looks["vhs-lp"], "end")
        self.drawn()


class AppearanceTest(LookCase):
    def test_the_window_is_light_or_dark_and_wide_or_narrow(self) -> None:
        from gi.repository import Adw

        window, manager = self.window, Adw.StyleManager.get_default()
        for style in (Adw.ColorScheme.FORCE_LIGHT, Adw.ColorScheme.FORCE_DARK):
            manager.set_color_scheme(style)
            self.assertEqual(manager.get_dark(), style == Adw.ColorScheme.FORCE_DARK)
            for width, height in ((1200, 800), (420, 760)):
                window.set_default_size(width, height)
                self.until(lambda: (window.get_width() < 700) == (width < 700), f"the window is {width} wide")
                self.until(lambda: window.flap.get_folded() == (width < 700), "the panel leaves room for the picture")


def _true() -> object:
    from gi.repository import GLib
    return GLib.Variant.new_boolean(True)


if __name__ == "__main__":
    unittest.main()
