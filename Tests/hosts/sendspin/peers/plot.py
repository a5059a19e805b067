"""Plots lines over time and distributions. Requires only Pillow, as the server does."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFont

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")
MARGIN = (70, 40, 20, 50)


def ticks(low: float, high: float, count: int = 8) -> list[float]:
    """Round values between the limits."""
    raw = (high - low) / count or 1
    step = 10 ** math.floor(math.log10(raw))
    step *= next(factor for factor in (1, 2, 5, 10) if step * factor >= raw)
    return [turn * step for turn in range(math.ceil(low / step), math.floor(high / step) + 1)]


class Plot:
    def __init__(self, title: str, x: tuple[float, float], y: tuple[float, float], labels: tuple[str, str],
                 size: tuple[int, int] = (1100, 420)) -> None:
        self.x, self.y, self.size = x, y, size
        self.image = Image.new("RGB", size, "white")
        self.draw = ImageDraw.Draw(self.image)
        self.font = ImageFont.load_default(13)
        left, top, right, bottom = MARGIN
        self.area = (left, top, size[0] - right, size[1] - bottom)
        self.draw.text((left, 12), title, "black", ImageFont.load_default(16))
        for value in ticks(*x):
            at = self.place(value, y[0])[0]
            self.draw.line((at, self.area[1], at, self.area[3]), "#e5e5e5")
            self.draw.text((at, self.area[3] + 6), f"{value:g}", "black", self.font, anchor="ma")
        for value in ticks(*y):
            at = self.place(x[0], value)[1]
            self.draw.line((self.area[0], at, self.area[2], at), "#e5e5e5")
            self.draw.text((self.area[0] - 6, at), f"{value:g}", "black", self.font, anchor="rm")
        self.draw.rectangle(self.area, outline="black")
        self.draw.text(((self.area[0] + self.area[2]) / 2, size[1] - 8), labels[0], "black", self.font, anchor="mb")
        self.draw.text((8, self.area[1] - 6), labels[1], "black", self.font, anchor="lb")
        self.entries = 0

    def place(self, x: float, y: float) -> tuple[float, float]:
        left, top, right, bottom = self.area
        return (left + (x - self.x[0]) / (self.x[1] - self.x[0]) * (right - left),
                bottom - (y - self.y[0]) / (self.y[1] - self.y[0]) * (bottom - top))

    def line(self, x: np.ndarray, y: np.ndarray, colour: str, label: str | None = None, width: int = 1) -> None:
        """Draws a line. Thins the points to fewer than 8000. Clamps values to the limits."""
        step = max(len(x) // 4000, 1)
        values = np.clip(y[::step], *self.y)
        points = [self.place(*point) for point in zip(x[::step], values)]
        if len(points) > 1:
            self.draw.line(points, colour, width)
        if label:
            self.label(label, colour)

    def limit(self, value: float, label: str) -> None:
        for sign in (value, -value):
            if self.y[0] < sign < self.y[1]:
                self.draw.line((*self.place(self.x[0], sign), *self.place(self.x[1], sign)), "#000000", 1)
        self.draw.text((self.area[2] - 4, self.place(0, value)[1] - 2), label, "black", self.font, anchor="rb")

    def bars(self, edges: np.ndarray, heights: np.ndarray, colour: str, label: str | None = None) -> None:
        """Draws a step line along the tops of the bins."""
        points = []
        for low, high, height in zip(edges, edges[1:], heights):
            points += [self.place(low, height), self.place(high, height)]
        self.draw.line(points, colour, 2)
        if label:
            self.label(label, colour)

    def label(self, text: str, colour: str) -> None:
        at = (self.area[0] + 10 + (self.entries // 4) * 210, self.area[1] + 6 + (self.entries % 4) * 16)
        self.draw.rectangle((at[0], at[1] + 5, at[0] + 14, at[1] + 9), colour)
        self.draw.text((at[0] + 20, at[1]), text, "black", self.font)
        self.entries += 1

    def save(self, path) -> None:
        self.image.save(path)
