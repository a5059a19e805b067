"""The controls of the settings, the thumbnails of the looks, and the bar below the picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Adw, Gdk, Gtk, Pango

from . import texts
from .settings import Setting, Value, governor, text_of
from .view import ZOOMS

_WIDTH, _HEIGHT = 144, 81


def row(*widgets: Gtk.Widget, margin: int = 0, **properties: Any) -> Gtk.Box:
    """A box with these widgets and with the margin, in pixels, on all sides."""
    sides = {f"margin_{side}": margin for side in ("top", "bottom", "start", "end")}
    box = Gtk.Box(**{"spacing": 6} | sides | properties)
    for widget in widgets:
        box.append(widget)
    return box


def column(*widgets: Gtk.Widget, **properties: Any) -> Gtk.Box:
    return row(*widgets, orientation=Gtk.Orientation.VERTICAL, **properties)


def described(widget: Gtk.Widget, label: str, description: str = "") -> Gtk.Widget:
    """Names a widget for a screen reader, and returns it."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [label])
    if description:
        widget.update_property([Gtk.AccessibleProperty.DESCRIPTION], [description])
    return widget


def choice(widget: Gtk.DropDown, label: str, description: str = "") -> Gtk.DropDown:
    """Names a list for a screen reader, and the button in it, which has the focus, with the chosen text; returns it."""
    def name(*_: object) -> None:
        if item := widget.get_selected_item():
            described(widget.get_first_child(), texts.CHOICE.format(name=label, choice=item.get_string()), description)
    widget.connect("notify::selected-item", name)
    name()
    return described(widget, label, description)


def button(icon: str, name: str, kind: type[Gtk.Widget] = Gtk.Button, **properties: Any) -> Gtk.Widget:
    """A button with an icon, whose name is a tooltip and is read aloud."""
    widget = kind(icon_name=icon, tooltip_text=name, **properties)
    widget.add_css_class("flat")
    return described(widget, name)


def leave_scrolling(widget: Gtk.Widget) -> None:
    """Lets the mouse wheel scroll the list instead of changing a value under the pointer."""
    for controller in list(widget.observe_controllers()):
        if isinstance(controller, Gtk.EventControllerScroll):
            widget.remove_controller(controller)


class Control(Adw.PreferencesRow):
    """The control of a setting: a switch, a list, or an entry with a slider; and a button that resets it."""

    def __init__(self, setting: Setting, on_change: Callable[[str, Value], None]) -> None:
        super().__init__(title=setting.label, tooltip_text=f"{setting.name}: {setting.blurb}", activatable=False,
                         focusable=False)
        self.setting, self._on_change, self._is_shown = setting, on_change, False
        self._value: Value = setting.default
        self.slider: Gtk.Scale | None = None
        self.entry = (choice if setting.kind == "choice" else described)(self._entry(), setting.label, setting.blurb)
        self.reset = button("edit-undo-symbolic", texts.RESET.format(name=setting.label, value=text_of(setting.default)),
                            valign=Gtk.Align.CENTER)
        self.reset.connect("clicked", lambda _: on_change(setting.name, setting.default))
        label = Gtk.Label(label=setting.label, xalign=0, hexpand=True, wrap=True)
        box = column(row(label, self.entry, self.reset), margin=6, margin_start=12, spacing=0)
        if self.slider is not None:
            box.append(described(self.slider, setting.label, setting.blurb))
        self.set_child(box)
        self.show_value(setting.default)

    def _entry(self) -> Gtk.Widget:
        setting = self.setting
        if setting.kind == "toggle":
            entry = Gtk.Switch()
            entry.connect("notify::active", lambda *_: self._changed(entry.get_active()))
        elif setting.kind == "choice":
            entry = Gtk.DropDown.new_from_strings(setting.nicks)
            entry.connect("notify::selected", lambda *_: self._changed(setting.nicks[entry.get_selected()]))
        else:
            numbers = Gtk.Adjustment(lower=setting.low, upper=setting.high, step_increment=setting.step,
                                     page_increment=10 * setting.step)
            entry = Gtk.SpinButton(adjustment=numbers, digits=setting.digits, numeric=True)
            entry.connect("value-changed", lambda _: self._changed(setting.fitting(entry.get_value())))
            leave_scrolling(entry)
        if setting.has_slider:
            self.slider = slider = Gtk.Scale(
                adjustment=Gtk.Adjustment(upper=1, step_increment=0.01, page_increment=0.1), draw_value=False)
            slider.add_mark(setting.position(setting.default), Gtk.PositionType.BOTTOM, None)
            slider.connect("value-changed", lambda _: self._changed(setting.value(slider.get_value())))
            leave_scrolling(slider)
        entry.set_valign(Gtk.Align.CENTER)
        return entry

    def _changed(self, value: Value) -> None:
        if self._is_shown and value != self._value:
            self._on_change(self.setting.name, value)

    def show_value(self, value: Value) -> None:
        """Shows a value without a call of `on_change`."""
        self._is_shown, self._value, setting = False, value, self.setting
        if setting.kind == "toggle":
            self.entry.set_active(value)
        elif setting.kind == "choice":
            self.entry.set_selected(setting.nicks.index(value))
        else:
            self.entry.set_value(value)
        if self.slider is not None:
            self.slider.set_value(setting.position(value))
            self.slider.update_property([Gtk.AccessibleProperty.VALUE_TEXT], [text_of(value)])
        # The button keeps its place, so that the entry does not move.
        self.reset.set_opacity(value != setting.default)
        self.reset.set_sensitive(value != setting.default)
        self._is_shown = True


class Controls(Gtk.ScrolledWindow):
    """The controls of an element, in groups."""

    def __init__(self, settings: dict[str, Setting], on_change: Callable[[str, Value], None]) -> None:
        super().__init__(hscrollbar_policy=Gtk.PolicyType.NEVER)
        self.rows = {name: Control(setting, on_change) for name, setting in settings.items()}
        self._governors = {name: governor(name, settings) for name in settings}
        self._groups: dict[str, Adw.PreferencesGroup] = {}
        self._values: dict[str, Value] = {}
        for name, setting in settings.items():
            group = self._groups.setdefault(setting.group, Adw.PreferencesGroup(title=setting.group))
            group.add(self.rows[name])
        self.set_child(column(*self._groups.values(), margin=12, spacing=18))

    def show_values(self, values: dict[str, Value]) -> None:
        for name, control in self.rows.items():
            if values[name] != self._values.get(name):
                control.show_value(values[name])
            toggle = self._governors[name]
            control.set_sensitive(toggle is None or bool(values[toggle]))
        self._values = values

    def search(self, text: str) -> int:
        """Shows only settings that match. Returns their number."""
        for control in self.rows.values():
            control.set_visible(control.setting.matches(text))
        shown = [control.setting.group for control in self.rows.values() if control.get_visible()]
        for name, group in self._groups.items():
            group.set_visible(name in shown)
        return len(shown)


class Strip(Gtk.ScrolledWindow):
    """The looks as a row of buttons with thumbnails of the current frame."""

    def __init__(self, on_choose: Callable[[str], None]) -> None:
        super().__init__(vscrollbar_policy=Gtk.PolicyType.NEVER, hexpand=True)
        self._on_choose = on_choose
        self.pictures: dict[str, Gtk.Picture] = {}
        self.buttons: dict[str, Gtk.ToggleButton] = {}

    def fill(self, looks: dict[str, str]) -> None:
        """Makes the buttons of these presets, which have their comments as tooltips."""
        self.buttons.clear()
        for name, comment in looks.items():
            self.pictures[name] = Gtk.Picture(alternative_text=name, can_shrink=True, width_request=_WIDTH,
                                              height_request=_HEIGHT)
            label = Gtk.Label(label=name, ellipsize=Pango.EllipsizeMode.END, max_width_chars=16)
            label.add_css_class("caption")
            self.buttons[name] = look = Gtk.ToggleButton(child=column(self.pictures[name], label, spacing=3),
                                                         tooltip_text=comment or name)
            look.add_css_class("flat")
            described(look, name, comment)
            look.connect("clicked", lambda _, name=name: self._on_choose(name))
        self.set_child(row(*self.buttons.values(), margin=6))

    def select(self, name: str | None) -> None:
        for each, look in self.buttons.items():
            look.set_active(each == name)

    def show_thumbnail(self, name: str, texture: Gdk.Texture) -> None:
        self.pictures[name].set_paintable(texture)


class Transport(Gtk.Box):
    """The bar below the picture: play, steps, position, and what is compared. Its buttons have actions of the window."""

    def __init__(self, on_seek: Callable[[int], None], on_compare: Callable[[int], None],
                 on_zoom: Callable[[int], None]) -> None:
        super().__init__()
        self._on_compare, self._is_shown = on_compare, True
        self._play = button("media-playback-start-symbolic", texts.PLAY, action_name="win.play")
        self.position = described(Gtk.Scale(adjustment=Gtk.Adjustment(step_increment=1), draw_value=False, hexpand=True,
                                            width_request=80), texts.POSITION)
        # The value may be outside of the range.
        self.position.connect("change-value", lambda scale, _, value: on_seek(
            round(1e9 * min(value, scale.get_adjustment().get_upper()))))
        leave_scrolling(self.position)
        self._time = Gtk.Label(label="0:00.0")
        self._time.add_css_class("numeric")
        self._sound = button("audio-volume-high-symbolic", texts.MUTE, Gtk.ToggleButton, action_name="win.mute")
        self.compare = choice(Gtk.DropDown(), texts.COMPARE)
        self.compare.connect("notify::selected", self._compared)
        self.zoom = choice(Gtk.DropDown.new_from_strings(
            [f"{100 * zoom} %" if zoom else texts.FIT for zoom in ZOOMS]), texts.ZOOM)
        self.zoom.set_tooltip_text(texts.ZOOM)
        self.zoom.connect("notify::selected", lambda *_: on_zoom(ZOOMS[self.zoom.get_selected()]))
        self.append(column(
            row(button("media-skip-backward-symbolic", texts.BACK, action_name="win.back"), self._play,
                button("media-skip-forward-symbolic", texts.FORWARD, action_name="win.forward"), self.position, self._time,
                button("media-playlist-repeat-symbolic", texts.LOOP, Gtk.ToggleButton, action_name="win.loop"),
                self._sound, spacing=3),
            row(Gtk.Label(label=texts.COMPARE), self.compare, Gtk.Box(hexpand=True), self.zoom), margin=6))

    def fill(self, names: list[str], selected: int) -> None:
        """Sets what the picture can be compared with."""
        self._is_shown = False
        self.compare.set_model(Gtk.StringList.new(names))
        self.compare.set_selected(selected)
        self._is_shown = True

    def _compared(self, *_: object) -> None:
        if self._is_shown and self.compare.get_selected() != Gtk.INVALID_LIST_POSITION:
            self._on_compare(self.compare.get_selected())

    def show_source(self, duration: int, has_sound: bool) -> None:
        """`duration` in nanoseconds; 0 for a camera or a still picture."""
        self.position.set_sensitive(duration > 0)
        self.position.set_range(0, max(duration / 1e9, 0.001))
        self._sound.set_sensitive(has_sound)

    def show_playing(self, is_playing: bool) -> None:
        name = texts.PAUSE if is_playing else texts.PLAY
        self._play.set_icon_name(f"media-playback-{'pause' if is_playing else 'start'}-symbolic")
        self._play.set_tooltip_text(name)
        described(self._play, name)

    def show_position(self, position: int) -> None:
        """Changing the value of the scale does not emit change-value, so nothing is sought."""
        seconds = position / 1e9
        self.position.set_value(seconds)
        self._time.set_label(f"{int(seconds) // 60}:{seconds % 60:04.1f}")
