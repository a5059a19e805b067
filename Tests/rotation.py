"""Rotates films as phones do: a tag requires a rotation of the stored pictures."""
import functools
import subprocess


@functools.cache
def _has_option() -> bool:
    help_ = subprocess.run(["ffmpeg", "-hide_banner", "-h", "full"], capture_output=True, text=True, check=True).stdout
    return "-display_rotation" in help_


def rotated(source: str, turn: int) -> list[str]:
    """Arguments of ffmpeg that copy `source` with a tag, which turns the picture counterclockwise by `turn` degrees.

    ffmpeg 7 ignores the metadata `rotate`, and ffmpeg 5 has no option for it.
    """
    if _has_option():
        return ["-display_rotation", str(turn), "-i", source, "-c", "copy"]
    return ["-i", source, "-c", "copy", "-metadata:s:v", f"rotate={turn}"]
