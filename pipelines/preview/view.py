"""Draws two pictures of a frame on both sides of a border that can be dragged."""

from __future__ import annotations

from collections.abc import Callable

import cairo
from gi.repository import Adw, Gdk, Graphene, Gtk

from . import texts
from .renderer import Picture

# Magnifications; 0 fits the picture into the widget.
ZOOMS = (0, 1, 2, 3, 4, 6, 8)
# From this magnification on, pixels are drawn as squares.
_NEAREST_FROM = 1.5
# Distance from the border, in pixels of the window, at which it can be grabbed.
_GRAB = 12
# Width of the border in pixels of the window, without its black edges, and while the keyboard moves it.
_WIDTH, _FOCUSED_WIDTH = 1, 5


class SplitView(Adw.Bin):
    """Shows `left` and `right` of the same size, in the window's size or magnified.

    Its scale, which is not drawn, is the place of the border in percent for the keyboard and for a screen reader: GTK
    publishes the values of its own widgets only.
    """

    def __init__(self, on_zoom: Callable[[], None]) -> None:
        super().__init__(hexpand=True, vexpand=True, overflow=Gtk.Overflow.HIDDEN, width_request=160, height_request=120)
        self.scale = Gtk.Scale(adjustment=Gtk.Adjustment(upper=100, step_increment=2, page_increment=10), can_target=False)
        self.scale.update_property([Gtk.AccessibleProperty.LABEL], [texts.BORDER])
        # The picture is not mirrored either.
        self.scale.set_direction(Gtk.TextDirection.LTR)
        for signal in ("value-changed", "state-flags-changed"):
            self.scale.connect(signal, lambda *_: self.queue_draw())
        self.set_child(self.scale)
        self._on_zoom = on_zoom
        self.left: Picture | None = None
        self.right: Picture | None = None
        # Size of a frame of the film, whatever that of the preview is.
        self._size = (1, 1)
        # One of ZOOMS.
        self.zoom = 0
        # The point of the picture in the middle of the widget, as shares of its size.
        self._middle = (0.5, 0.5)
        self._grabbed: tuple[float, float] | None = None
        drag, scroll = Gtk.GestureDrag(), Gtk.EventControllerScroll(flags=Gtk.EventControllerScrollFlags.VERTICAL)
        drag.connect("drag-update", self._dragged)
        for controller, signal, handler in (
                (drag, "drag-begin", self._drag_began), (scroll, "scroll", self._scrolled),
                (Gtk.EventControllerMotion(), "motion", self._moved)):
            controller.connect(signal, handler)
            self.add_controller(controller)
        self.move_border(0.5)

    # Contents

    def show_pictures(self, left: Picture | None, right: Picture, size: tuple[int, int]) -> None:
        """`left` is None if there is nothing to compare. `size` is that of the frame in the film."""
        self.left, self.right, self._size = left, right, size
        self.queue_draw()

    @property
    def border(self) -> float:
        """Place of the border as a share of the visible picture."""
        return self.scale.get_value() / 100

    def move_border(self, border: float) -> None:
        self.scale.set_value(100 * border)

    def set_zoom(self, zoom: int) -> None:
        self.zoom = zoom
        self._on_zoom()
        self.queue_draw()

    def change_zoom(self, by: int) -> None:
        self.set_zoom(ZOOMS[min(len(ZOOMS) - 1, max(0, ZOOMS.index(self.zoom) + by))])

    # Geometry

    def place(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the picture in the widget."""
        width, height = self.get_width(), self.get_height()
        scale = self.zoom or min(width / self._size[0], height / self._size[1])
        shown = self._size[0] * scale, self._size[1] * scale
        corner = [round((whole - part) / 2 if part <= whole else
                        min(0, max(whole - part, whole / 2 - middle * part)))
                  for whole, part, middle in zip((width, height), shown, self._middle)]
        return corner[0], corner[1], shown[0], shown[1]

    def _visible(self) -> tuple[float, float]:
        """The first column of the widget with a part of the picture, and that after the last one."""
        x, _, width, _ = self.place()
        return max(0, x), min(self.get_width(), x + width)

    @property
    def _border_x(self) -> float:
        """The border is a share of the visible part of the picture, so that it can always be seen."""
        first, last = self._visible()
        return first + self.border * (last - first)

    # Drawing

    def do_snapshot(self, snapshot: Gtk.Snapshot) -> None:
        if self.right is None:
            return
        if self.left is None:
            self._draw(snapshot, self.right, 0, self.get_width())
            return
        border = self._border_x
        self._draw(snapshot, self.left, 0, border)
        self._draw(snapshot, self.right, border, self.get_width())
        colour = Gdk.RGBA()
        is_focused = self.scale.get_state_flags() & Gtk.StateFlags.FOCUS_VISIBLE
        inner = _FOCUSED_WIDTH if is_focused else _WIDTH
        for width, name in ((inner + 2, "black"), (inner, "white")):
            colour.parse(name)
            snapshot.append_color(colour, _rectangle(round(border) - width / 2, 0, width, self.get_height()))

    def _draw(self, snapshot: Gtk.Snapshot, picture: Picture, first: float, last: float) -> None:
        """Draws the columns of the widget from `first` to `last`."""
        x, y, width, height = self.place()
        clip = _rectangle(first, 0, last - first, self.get_height())
        if self.zoom and width / picture.width >= _NEAREST_FROM:
            context = snapshot.append_cairo(clip)
            context.translate(x, y)
            context.scale(width / picture.width, height / picture.height)
            context.set_source_surface(picture.surface)
            context.get_source().set_filter(cairo.FILTER_NEAREST)
            context.paint()
            return
        snapshot.push_clip(clip)
        snapshot.append_texture(picture.texture, _rectangle(x, y, width, height))
        snapshot.pop()

    # Mouse

    def _is_at_border(self, x: float) -> bool:
        return self.left is not None and abs(x - self._border_x) <= _GRAB

    def _drag_began(self, drag: Gtk.GestureDrag, x: float, y: float) -> None:
        self.scale.grab_focus()
        self._grabbed = None if self._is_at_border(x) else self._middle
        drag.set_state(Gtk.EventSequenceState.CLAIMED)

    def _dragged(self, drag: Gtk.GestureDrag, x: float, y: float) -> None:
        if self._grabbed is None:
            first, last = self._visible()
            self.move_border((drag.get_start_point()[1] + x - first) / max(1, last - first))
            return
        self._middle = tuple(min(1, max(0, begin - by / whole))
                             for begin, by, whole in zip(self._grabbed, (x, y), self.place()[2:]))
        self.queue_draw()

    def _moved(self, _: Gtk.EventControllerMotion, x: float, __: float) -> None:
        self.set_cursor_from_name("col-resize" if self._is_at_border(x) else "grab" if self.zoom else None)

    def _scrolled(self, _: Gtk.EventControllerScroll, __: float, by: float) -> bool:
        self.change_zoom(-1 if by > 0 else 1)
        return True


def _rectangle(x: float, y: float, width: float, height: float) -> Graphene.Rect:
    return Graphene.Rect().init(x, y, width, height)
