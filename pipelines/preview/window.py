"""The window: opens sources, changes the look, and shows what the other modules render."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gi.repository import Adw, Gdk, Gio, GLib, GObject, Gtk

from launch import shown
from output import Mistake, NewFile, check
from render.fragments import SHARED

from . import texts
from .look import Facts, History, Look, Shelf, Source, launch_line
from .player import Player, first_frame
from .renderer import Picture, Rendered, Renderer, Wish, png
from .rendering import Rendering
from .view import ZOOMS, SplitView
from .widgets import Controls, Strip, Transport, button, column, described

# Places in the list of what the picture is compared with; the presets follow.
NOTHING, ORIGINAL, REFERENCE = range(3)
_PANEL_WIDTH = 350


class Window(Adw.ApplicationWindow):
    """Shows one source with one look. `look` is the present one, and `rendered` what was drawn last."""

    def __init__(self, application: Adw.Application, shelf: Shelf, camera: str, speaker: str, look: Look) -> None:
        super().__init__(application=application, title=texts.TITLE, default_width=1200, default_height=800)
        self.set_size_request(360, 360)
        self.shelf, self._history, self._camera = shelf, History(look), camera
        self.source: Source | None = None
        self.facts: Facts | None = None
        self.rendered: Rendered | None = None
        self.is_playing = False
        self.looks: dict[str, Look] = {}
        self._compared, self._reference, self._chooser = ORIGINAL, None, None
        self._background = ThreadPoolExecutor(1, "files")
        self.player = Player(speaker, lambda shot: self.renderer.show(shot), self._opened, self.say,
                             lambda: self.set_playing(False))
        self.renderer = Renderer(shelf.picture, self._draw, lambda *thumbnail: self.strip.show_thumbnail(*thumbnail),
                                 self.player.rendered)
        self.renderer.start()
        self._add_actions()
        self._build()
        self._read_presets()
        self.connect("close-request", self._closing)

    @property
    def look(self) -> Look:
        return self._history.state

    # Construction

    def _add_actions(self) -> None:
        actions = {
            "open": ("<Control>o", lambda: self._choose(texts.OPEN_TITLE, self.open_file)),
            "camera": ("", lambda: self.open_source(Source(camera=self._camera))),
            "undo": ("<Control>z", lambda: self._move(-1)),
            "redo": ("<Control><Shift>z", lambda: self._move(1)),
            "reset-all": ("<Control>BackSpace", lambda: self.set_look(self.shelf.first, "all")),
            "play": ("<Control>space", self._play),
            "back": ("<Control>comma", lambda: self._step(-1)),
            "forward": ("<Control>period", lambda: self._step(1)),
            "zoom-in": ("<Control>plus", lambda: self.view.change_zoom(1)),
            "zoom-out": ("<Control>minus", lambda: self.view.change_zoom(-1)),
            "search": ("<Control>f", self._search),
            "save-preset": ("<Control>s", self._save_preset),
            "import-json": ("<Control>i", lambda: self._choose(texts.IMPORT_TITLE, self.read_json)),
            "export-json": ("<Control>e", lambda: self._choose(texts.EXPORT_TITLE, self.write_json, "look.json")),
            "save-picture": ("<Control><Shift>s", self._save_picture),
            "copy-line": ("<Control><Shift>c", self._copy_line),
            "render": ("<Control>r", self._render),
        }
        for name, (keys, function) in actions.items():
            action = Gio.SimpleAction.new(name, None)
            action.connect("activate", lambda *_, function=function: self._try(function))
            self._add_action(action, keys)
        for name, keys in (("loop", "<Control>l"), ("mute", "<Control>m")):
            action = Gio.SimpleAction.new_stateful(name, None, GLib.Variant.new_boolean(False))
            action.connect("change-state", self._switched)
            self._add_action(action, keys)
        for name in ("save-picture", "copy-line", "render"):
            self.lookup_action(name).set_enabled(False)

    def _add_action(self, action: Gio.SimpleAction, keys: str) -> None:
        self.add_action(action)
        self.get_application().set_accels_for_action(f"win.{action.get_name()}", [keys] if keys else [])

    def _build(self) -> None:
        self.view = SplitView(lambda: self.transport.zoom.set_selected(ZOOMS.index(self.view.zoom)))
        self.transport = Transport(self.player.seek, self.compare, self.view.set_zoom)
        self.strip = Strip(lambda name: self.set_look(self.looks[name], name))
        self.rendering = Rendering()
        own = {name: each for name, each in self.shelf.sound.items() if name not in SHARED}
        self.controls = {
            "picture": Controls(self.shelf.picture, lambda name, value: self.set_look(
                self.look.with_picture(name, value), name)),
            "sound": Controls(own, lambda name, value: self.set_look(
                self.look.with_sound(name, value), f"sound {name}"))}
        self._stack = Gtk.Stack(vexpand=True, hhomogeneous=False, vhomogeneous=False)
        self._stack.add_named(Adw.StatusPage(icon_name="video-x-generic-symbolic", title=texts.EMPTY,
                                             description=texts.EMPTY_HINT), "empty")
        self._stack.add_named(self.view, "view")
        self.toasts = Adw.ToastOverlay(child=column(self._stack, self.rendering, self.transport, self.strip, spacing=0))
        self.flap = Adw.Flap(content=self.toasts, flap=self._panel(), flap_position=Gtk.PackType.END,
                             separator=Gtk.Separator(orientation=Gtk.Orientation.VERTICAL))
        self.set_content(column(self._header(), self.flap, spacing=0))
        drop = Gtk.DropTarget.new(Gio.File, Gdk.DragAction.COPY)
        drop.connect("drop", lambda _, file, __, ___: self._with_path(file, self.open_file))
        self.add_controller(drop)

    def _header(self) -> Adw.HeaderBar:
        self._title = Adw.WindowTitle(title=texts.TITLE)
        header = Adw.HeaderBar(title_widget=self._title)
        for widget in (Gtk.Button(label=texts.OPEN, action_name="win.open"),
                       button("edit-undo-symbolic", texts.UNDO, action_name="win.undo"),
                       button("edit-redo-symbolic", texts.REDO, action_name="win.redo")):
            header.pack_start(widget)
        entries = Gio.Menu()
        for names in (("camera", "render"),
                      ("save-preset", "import-json", "export-json", "save-picture", "copy-line", "reset-all")):
            section = Gio.Menu()
            for name in names:
                section.append(getattr(texts, name.upper().replace("-", "_")), f"win.{name}")
            entries.append_section(None, section)
        header.pack_end(button("open-menu-symbolic", texts.MENU, Gtk.MenuButton, menu_model=entries, primary=True))
        shows = button("view-dual-symbolic", texts.SETTINGS_SHOWN, Gtk.ToggleButton)
        self.flap.bind_property("reveal-flap", shows, "active",
                                GObject.BindingFlags.BIDIRECTIONAL | GObject.BindingFlags.SYNC_CREATE)
        header.pack_end(shows)
        return header

    def _panel(self) -> Gtk.Widget:
        self.search_entry = described(Gtk.SearchEntry(placeholder_text=texts.SEARCH), texts.SEARCH)
        self.search_entry.connect("search-changed", self._searched)
        self.pages = Gtk.Stack(vexpand=True)
        for name, controls in self.controls.items():
            self.pages.add_titled(controls, name, getattr(texts, name.upper()))
        self.nothing_found = Gtk.Label(label=texts.NOTHING_FOUND, visible=False)
        top = column(self.search_entry, Gtk.StackSwitcher(stack=self.pages), self.nothing_found, margin_start=12,
                     margin_end=12)
        # The labels expand; the panel does not.
        panel = column(top, self.pages, margin_top=6, hexpand=False, width_request=_PANEL_WIDTH)
        panel.add_css_class("background")
        return panel

    # The look

    def set_look(self, look: Look, what: str) -> None:
        """Makes a look the present one. Changes of the same `what` within a second are undone together."""
        self._history.change(look, what, time.monotonic())
        self._follow()

    def _move(self, by: int) -> None:
        self._history.move(by)
        self._follow()

    def _follow(self) -> None:
        """Shows and renders the present look."""
        self.controls["picture"].show_values(self.look.picture)
        self.controls["sound"].show_values(self.look.sound)
        self.strip.select(next((name for name, look in self.looks.items() if look == self.look), None))
        self.lookup_action("undo").set_enabled(self._history.can_undo)
        self.lookup_action("redo").set_enabled(self._history.can_redo)
        self.player.set_sound(self.look.sound)
        self._ask()

    def _ask(self) -> None:
        left = {NOTHING: None, ORIGINAL: {}, REFERENCE: None}
        for number, look in enumerate(self.looks.values(), len(left)):
            left[number] = look.picture
        self.renderer.ask(Wish(self.look.picture, left[self._compared]))

    def compare(self, number: int) -> None:
        """Shows another picture on the left: NOTHING, ORIGINAL, REFERENCE, or a preset after these."""
        self._compared = number
        if number == REFERENCE:
            self._choose(texts.REFERENCE_TITLE, self.open_reference)
        self._ask()

    def open_reference(self, path: str) -> None:
        def read() -> None:
            self._reference = Picture(first_frame(Source(path)))
            GLib.idle_add(self._ask)
        self._background.submit(self._try, read)

    def _read_presets(self) -> None:
        names = [None, None, None, *self.looks]
        compared = names[self._compared]
        self.looks = {name: self.shelf.look(name) for name in self.shelf.names()}
        if compared in self.looks:
            self._compared = REFERENCE + 1 + list(self.looks).index(compared)
        self.strip.fill({name: self.shelf.comment(name) for name in self.looks})
        self.transport.fill([texts.NOTHING, texts.ORIGINAL, texts.REFERENCE, *self.looks], self._compared)
        self.renderer.ask_thumbnails({name: look.picture for name, look in self.looks.items()})
        self._follow()

    def _search(self) -> None:
        self.flap.set_reveal_flap(True)
        self.search_entry.grab_focus()

    def _searched(self, entry: Gtk.SearchEntry) -> None:
        """Shows the page that has a match."""
        counts = {name: controls.search(entry.get_text()) for name, controls in self.controls.items()}
        self.nothing_found.set_visible(not any(counts.values()))
        if not counts[self.pages.get_visible_child_name()] and any(counts.values()):
            self.pages.set_visible_child_name(next(name for name, count in counts.items() if count))

    # The source

    def open_file(self, path: str) -> None:
        self.open_source(Source(path))

    def open_source(self, source: Source) -> None:
        self.player.open(source)

    def _opened(self, source: Source, facts: Facts) -> None:
        self.source, self.facts = source, facts
        self._title.set_title(source.name if source.path else texts.CAMERA)
        self._stack.set_visible_child_name("view")
        self.transport.show_source(facts.duration, facts.has_sound)
        self.lookup_action("save-picture").set_enabled(True)
        self.lookup_action("copy-line").set_enabled(True)
        self.lookup_action("render").set_enabled(bool(source.path) and not facts.is_still)
        self.set_playing(True)

    def _play(self) -> None:
        """Plays or pauses. Opens the source again if it has failed, or if another one could not be opened."""
        opening = self.player.source
        if self.source is not None and (opening is None or opening is self.source) and self.player.playback is None:
            self.open_source(self.source)
        else:
            self.set_playing(not self.is_playing)

    def set_playing(self, is_playing: bool) -> None:
        self.is_playing = is_playing
        self.player.play(is_playing)
        self.transport.show_playing(is_playing)

    def _step(self, by: int) -> None:
        self.is_playing = False
        self.transport.show_playing(False)
        self.player.step(by)

    def _switched(self, action: Gio.SimpleAction, state: GLib.Variant) -> None:
        action.set_state(state)
        if action.get_name() == "loop":
            self.player.is_looping = state.get_boolean()
        else:
            self.player.mute(state.get_boolean())

    def _draw(self, rendered: Rendered) -> None:
        self.rendered, right = rendered, rendered.right
        left = self._reference if self._compared == REFERENCE else rendered.left
        width, height = rendered.shot.full
        self.view.show_pictures(left, right, (round(right.width * height / right.height), height))
        self.transport.show_position(rendered.shot.position)
        self._title.set_subtitle(texts.SIZE.format(width=width, height=height, rows=right.height))

    # Files

    def _save_preset(self) -> None:
        entry = described(Gtk.Entry(activates_default=True, placeholder_text=texts.NAME), texts.NAME)
        self._ask_user(texts.SAVE_PRESET, texts.SAVE_PRESET_HINT, texts.SAVE, Adw.ResponseAppearance.SUGGESTED,
                       lambda: self.store_preset(entry.get_text()), entry)

    def store_preset(self, name: str) -> None:
        """Raises Mistake."""
        self.shelf.save(name, self.look)
        self._read_presets()
        self.say(texts.SAVED.format(name=name.strip()))

    def read_json(self, path: str) -> None:
        """Raises Mistake."""
        look, warning = self.shelf.read_json(path, self.look)
        self.set_look(look, path)
        if warning:
            self.say(warning)

    def write_json(self, path: str) -> None:
        text = self.shelf.json(self.look)
        self._write(path, lambda: text, lambda write: self._background.submit(self._try, write))

    def _save_picture(self) -> None:
        if self.is_playing:
            self.set_playing(False)
        name = Path(self.source.path or "camera").stem
        self._choose(texts.SAVE_PICTURE_TITLE, self.write_picture, name + "-look.png")

    def write_picture(self, path: str) -> None:
        """Writes the paused frame with the look, in the size of the source."""
        look = self.look.picture
        # The player has then paused.
        self._write(path, lambda: png(self.shelf.picture, self.renderer.shot, look), self.player.do)

    def _write(self, path: str, content: Callable[[], str | bytes], submit: Callable[[Callable], object]) -> None:
        """Writes on the thread of `submit`. The file chooser has asked before it names an existing file."""
        replaces, inputs = os.path.exists(path), [self.source.path] if self.source else []

        def write() -> None:
            with NewFile(check(path, inputs, force=replaces), replaces) as new:
                new.write(content())
                new.finish()
            GLib.idle_add(self.say, texts.SAVED.format(name=path))
        submit(write)

    def _copy_line(self) -> None:
        self.get_clipboard().set(launch_line(self.source, self.facts, self.look, self.shelf.defaults))
        self.say(texts.COPIED)

    def _render(self) -> None:
        if not self.rendering.is_running:
            self._choose(texts.RENDER_TITLE, self.render_to, Path(self.source.path).stem + "-look.mkv")

    def render_to(self, output: str) -> None:
        picture, sound = self.look.words(self.shelf.defaults)
        self.rendering.begin(self.source.path, output, picture, sound if self.facts.has_sound else [])

    # Dialogs

    def _choose(self, title: str, on_path: Callable[[str], object], name: str = "") -> None:
        """Asks for a file to open, or with `name` for one to write."""
        action = Gtk.FileChooserAction.SAVE if name else Gtk.FileChooserAction.OPEN
        # GTK does not keep a native dialog alive.
        self._chooser = Gtk.FileChooserNative(title=title, transient_for=self, action=action, modal=True)
        if name:
            self._chooser.set_current_name(shown(name))
        self._chooser.connect("response", lambda chooser, answer: answer == Gtk.ResponseType.ACCEPT
                              and self._with_path(chooser.get_file(), on_path))
        self._chooser.show()

    def _with_path(self, file: Gio.File, on_path: Callable[[str], object]) -> bool:
        path = file.get_path()
        self.say(texts.NO_PATH.format(name=file.get_uri())) if path is None else self._try(lambda: on_path(path))
        return path is not None

    def _ask_user(self, heading: str, body: str, label: str, appearance: Adw.ResponseAppearance,
                  on_yes: Callable[[], None], extra: Gtk.Widget | None = None) -> None:
        dialog = Adw.MessageDialog(transient_for=self, heading=heading, body=body, extra_child=extra)
        dialog.add_response("cancel", texts.CANCEL)
        dialog.add_response("yes", label)
        dialog.set_response_appearance("yes", appearance)
        if extra is not None:
            dialog.set_default_response("yes")
        dialog.connect("response", lambda _, answer: answer == "yes" and self._try(on_yes))
        dialog.present()

    def say(self, text: str) -> None:
        self.toasts.add_toast(Adw.Toast(title=GLib.markup_escape_text(shown(text))))

    def _try(self, function: Callable[[], object]) -> None:
        """Any thread may call it."""
        try:
            function()
        except (Mistake, GLib.Error) as error:
            GLib.idle_add(self.say, getattr(error, "message", str(error)))

    def _closing(self, *_: object) -> bool:
        if self.rendering.is_running:
            self._ask_user(texts.RENDER_RUNS, texts.RENDER_RUNS_HINT, texts.STOP_RENDERING,
                           Adw.ResponseAppearance.DESTRUCTIVE, self.end)
        else:
            self.end()
        return True

    def end(self) -> None:
        """Closes the window, and ends rendering."""
        self.rendering.cancel()
        self.player.close()
        self.renderer.close()
        self._background.shutdown()
        self.shelf.close()
        self.destroy()
