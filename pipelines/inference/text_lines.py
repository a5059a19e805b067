"""Lines of text in the output of the models: boxes from probabilities, and characters from classes."""

from __future__ import annotations

from typing import Any

import numpy

# Left, top, right, bottom, in pixels.
Box = tuple[int, int, int, int]

# Values of RapidOCR for its detection model: a pixel is text above the first; a box is a line if its mean is above the
# second. The model finds the core of a line, and the factor of area by perimeter widens it to the whole line.
PIXEL_THRESHOLD, BOX_THRESHOLD, WIDENING = 0.3, 0.5, 1.6
# Smallest height and width of the core of a line, in pixels of the output.
LEAST_SIDE = 3


def reduced(pixels: Any, factor: int) -> Any:
    """A picture whose sides are divided by `factor`; each pixel is a mean."""
    if factor == 1:
        return pixels
    height, width = pixels.shape[0] // factor, pixels.shape[1] // factor
    parts = pixels[:height * factor, :width * factor].reshape(height, factor, width, factor, -1)
    return parts.mean(axis=(1, 3), dtype=numpy.float32)


def resized(pixels: Any, height: int, width: int) -> Any:
    """A picture of another size, interpolated between two pixels in each direction."""
    for axis, size in ((0, height), (1, width)):
        places = numpy.clip((numpy.arange(size) + 0.5) * pixels.shape[axis] / size - 0.5, 0, pixels.shape[axis] - 1)
        first = places.astype(int)
        share = (places - first).astype(numpy.float32).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        second = numpy.minimum(first + 1, pixels.shape[axis] - 1)
        pixels = pixels.take(first, axis) * (1 - share) + pixels.take(second, axis) * share
    return pixels


def boxes(shares: Any, scale: int = 1) -> list[Box]:
    """Boxes around connected pixels that are probably text, in the order of reading, in pixels times `scale`."""
    found = []
    height, width = shares.shape
    for left, top, right, bottom in components(shares > PIXEL_THRESHOLD):
        across, down = right - left, bottom - top
        if min(across, down) < LEAST_SIDE or shares[top:bottom, left:right].mean() < BOX_THRESHOLD:
            continue
        more = round(across * down * WIDENING / (2 * (across + down)))
        box = max(left - more, 0), max(top - more, 0), min(right + more, width), min(bottom + more, height)
        found.append(tuple(side * scale for side in box))
    # Lines whose middles differ by less than half of a height are beside each other.
    found.sort(key=lambda box: box[1] + box[3])
    ordered: list[list[Box]] = []
    for box in found:
        last = ordered[-1][0] if ordered else None
        if last and box[1] + box[3] - last[1] - last[3] < last[3] - last[1]:
            ordered[-1].append(box)
        else:
            ordered.append([box])
    return [box for row in ordered for box in sorted(row)]


def components(mask: Any) -> list[Box]:
    """Bounding boxes of the connected parts of a mask. Joins runs of pixels that touch in neighbouring rows."""
    edges = numpy.diff(numpy.pad(mask, ((0, 0), (1, 1))).astype(numpy.int8), axis=1)
    rows, starts = numpy.nonzero(edges == 1)
    _, ends = numpy.nonzero(edges == -1)
    parents: list[int] = []
    parts: list[Box] = []

    def top_of(part: int) -> int:
        while parents[part] != part:
            part = parents[part]
        return part

    above: list[tuple[int, int, int]] = []
    current: list[tuple[int, int, int]] = []
    at = -1
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist()):
        if row != at:
            above, current, at = current if row == at + 1 else [], [], row
        part = len(parts)
        parents.append(part)
        parts.append((start, row, end, row + 1))
        for left, right, other in above:
            # Pixels at a corner touch, too.
            if left <= end and start <= right and (other := top_of(other)) != (own := top_of(part)):
                one, two = parts[own], parts[other]
                parents[own] = other
                parts[other] = (min(one[0], two[0]), min(one[1], two[1]), max(one[2], two[2]), max(one[3], two[3]))
        current.append((start, end, part))
    return [box for part, box in enumerate(parts) if parents[part] == part]


def decode(shares: Any, alphabet: list[str], least: float) -> str:
    """Text of a sequence of class probabilities (CTC): equal neighbours are one character. Empty if it is uncertain."""
    best = shares.argmax(axis=1)
    kept = (best != 0) & (numpy.diff(best, prepend=-1) != 0)
    if not kept.any() or shares.max(axis=1)[kept].mean() < least:
        return ""
    return "".join(alphabet[each] for each in best[kept]).strip()
