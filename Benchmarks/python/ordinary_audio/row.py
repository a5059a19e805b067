"""One pipeline of the benchmark."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A pipeline with a place for the element, and the criteria of the comparison.

    In `pipeline`, `{S}` is the measured element with its link, or nothing. `{wav}`, `{flac}`, `{ogg}`, `{mp3}`, `{m4a}`,
    `{webm}`, `{slow}` (44.1 kHz) and `{raw}` are files of two seconds, `{ramp}` is a file with the ramp of the virtual
    DAC, and `{folder}` an empty folder.
    """

    name: str
    pipeline: str
    # Actions while the pipeline plays: (seconds after the start, name, arguments...); see actions.py.
    actions: tuple = ()
    # Whether each sink must receive the same bytes with and without the element.
    exact: bool = True
    # Whether the sink is slaved to another clock, so that the variation of its timing error counts.
    slaved: bool = False
    # Application instead of a launch line: "playbin", "ges" or "three".
    application: str = ""
    # Required elements that are not in the line.
    elements: tuple = ()
    # Whether the row belongs to the short version.
    short: bool = False

    def text(self, element, places):
        text = self.pipeline.replace("{S}", f"{element} ! " if element else "")
        for name, value in places.items():
            text = text.replace("{" + name + "}", str(value))
        return text
