"""Makes the golden frames of the standards and settings that the reference lacks, and compares frames with the model in NumPy.

    /usr/bin/python3 Tests/hosts/signal/golden_frames.py check          # of the reference, and those of this program
    /usr/bin/python3 Tests/hosts/signal/golden_frames.py write FOLDER   # presets, frames and standards.json

`write` makes FOLDER, which must not exist; its files belong into Tests/Golden. `check` prints, for each frame, the
largest difference in codes and the share of the samples that differ, and fails above the limits of docs/NTSC.md,
"Reference and exactness". It takes about four minutes.
"""

import json
import sys
from pathlib import Path

import numpy as np

from signal_model import play

GOLDEN = Path(__file__).resolve().parents[2] / "Golden"
# Positions of red, green and blue in a pixel.
ORDERS = {"rgbx": (0, 1, 2), "bgrx": (2, 1, 0), "xbgr": (3, 2, 1), "rgb": (0, 1, 2), "xrgb16": (1, 2, 3)}
SIZES = {"rgbx": 4, "bgrx": 4, "xbgr": 4, "rgb": 3, "xrgb16": 4}

CHART, PHOTO = ("chart", 112, 84), ("photo", 160, 120)
# Preset that is changed, changes, pictures and frame numbers.
SCALED = {"scale_with_video_size": False}
FRAMES = [
    ("default", {"standard": 1}, CHART, (3,), "progressive"),
    ("default", {"standard": 1}, PHOTO, (7,), "progressive"),
    ("default", {"standard": 1, "pal_decoder": 0, "chroma_phase_error": 0.08}, CHART, (3,), "progressive"),
    ("default", {"standard": 1, "chroma_phase_error": 0.08}, CHART, (3,), "tff"),
    ("everything", {"standard": 1}, CHART, (3,), "progressive"),
    ("everything", {"standard": 1} | SCALED, CHART, (0, 1, 2, 3), "progressive"),
    ("everything", {"standard": 1, "pal_decoder": 0} | SCALED, CHART, (3,), "bff"),
    ("everything", {"standard": 1, "filter_type": 0} | SCALED, CHART, (3,), "progressive"),
    ("everything", {"standard": 1, "chroma_demodulation": 0} | SCALED, CHART, (3,), "progressive"),
    ("everything", {"standard": 1, "chroma_demodulation": 2} | SCALED, CHART, (3,), "progressive"),
    ("everything", {"standard": 1, "use_field": 0} | SCALED, CHART, (4,), "progressive"),
    ("everything", {"standard": 1, "use_field": 3} | SCALED, CHART, (4,), "progressive"),
    ("everything", {"standard": 1, "vhs_settings": False, "chroma_lowpass_in": 1} | SCALED, CHART, (3,), "progressive"),
    ("default", {"standard": 2}, CHART, (3,), "progressive"),
    ("default", {"standard": 2}, PHOTO, (7,), "progressive"),
    ("default", {"standard": 2, "composite_noise_intensity": 0.4}, CHART, (3,), "tff"),
    ("everything", {"standard": 2} | SCALED, CHART, (2, 3), "progressive"),
    ("everything", {"standard": 2, "filter_type": 0} | SCALED, CHART, (3,), "bff"),
    ("everything", {"standard": 2, "use_field": 0} | SCALED, CHART, (4,), "progressive"),
    ("default", {"snow_model": 1, "snow_intensity": 30.0}, CHART, (3,), "progressive"),
    ("default", {"snow_model": 1, "snow_intensity": 60.0, "standard": 1}, CHART, (3,), "tff"),
    ("default", {"snow_model": 1, "snow_intensity": 15.0, "standard": 2}, CHART, (3,), "progressive"),
    ("everything", {"snow_model": 1, "snow_intensity": 100.0}, CHART, (3,), "bff"),
    ("default", {"snow_model": 1, "snow_intensity": 30.0, "bandwidth_scale": 0.5}, CHART, (3,), "progressive"),
    ("default", {"ghost_level": 0.4}, CHART, (3,), "progressive"),
    ("default", {"ghost_level": 0.6, "ghost_delay": 6.3, "ghost_phase": 0.3}, PHOTO, (3,), "progressive"),
    ("default", {"ghost_level": 0.3, "ghost_delay": 0.4, "ghost_phase": 0.75, "standard": 1}, CHART, (3,), "tff"),
    ("everything", {"ghost_level": 0.5, "ghost_delay": 7.5, "ghost_phase": 0.45, "standard": 2}, CHART, (3,), "progressive"),
    ("default", {"co_channel_level": 0.2}, CHART, (3,), "progressive"),
    ("default", {"co_channel_level": 0.3, "co_channel_offset": 700.0, "standard": 1}, CHART, (3, 4), "tff"),
    ("everything", {"co_channel_level": 0.1, "ghost_level": 0.2, "use_field": 1}, CHART, (4,), "progressive"),
    ("default", {"horizontal_hold": 0.4}, CHART, (3,), "progressive"),
    ("default", {"horizontal_hold": -2.5, "standard": 1}, CHART, (3,), "progressive"),
    ("default", {"vertical_hold": 1.4}, CHART, (3, 9), "progressive"),
    ("default", {"vertical_hold": -0.7, "standard": 2}, CHART, (3,), "tff"),
    ("default", {"sync_noise": 0.4}, PHOTO, (3,), "progressive"),
    ("everything", {"sync_noise": 1.8, "horizontal_hold": 1.2, "vertical_hold": -3.0}, CHART, (4,), "bff"),
    ("everything", {"sync_noise": 0.7, "vertical_hold": 2.0, "use_field": 1}, CHART, (4,), "progressive"),
    ("default", {"burst_lock": True}, PHOTO, (7,), "progressive"),
    ("default", {"chroma_demodulation": 4}, PHOTO, (7,), "progressive"),
    ("default", {"yc_recombinations": 1}, CHART, (3,), "progressive"),
    ("default", {"generations": 3}, PHOTO, (7,), "progressive"),
    ("everything", {"black_line_cut": 0.1, "chroma_delay_position": 1}, CHART, (3,), "progressive"),
    ("everything", {"burst_lock": True, "generations": 8, "yc_recombinations": 2}, CHART, (3,), "tff"),
    ("everything", {"standard": 1, "chroma_delay_position": 2, "yc_recombinations": 3} | SCALED, CHART, (3,), "bff"),
    ("everything", {"standard": 1, "burst_lock": True, "generations": 3} | SCALED, CHART, (3,), "progressive"),
    ("everything", {"standard": 2, "black_line_cut": 0.1, "generations": 2} | SCALED, CHART, (3,), "progressive"),
    ("everything", {"generations": 2, "yc_recombinations": 1, "burst_lock": True, "snow_model": 1, "ghost_level": 0.3,
                    "co_channel_level": 0.1, "horizontal_hold": 0.6, "vertical_hold": 1.2, "sync_noise": 0.5}, CHART, (4,),
     "progressive"),
]


# Values of missing keys, where they are not the defaults; docs/NTSC.md, "Presets".
LEGACY = {
    "filter_type": 0, "composite_noise_intensity": 0, "composite_noise_frequency": 0.25, "luma_smear": 0,
    "head_switching_start_mid_line": False, "luma_noise": False, "luma_noise_intensity": 0, "luma_noise_frequency": 0,
    "luma_noise_detail": 1, "chroma_noise_intensity": 0, "chroma_noise_detail": 1, "vhs_edge_wave_detail": 1}


def preset(name):
    return json.loads((GOLDEN / f"presets/{name}.json").read_text(encoding="utf-8"))


def decode(data, entry):
    """Codes of red, green and blue of a picture."""
    kind = np.dtype("<u2") if entry["format"] == "xrgb16" else np.dtype(np.uint8)
    pixels = np.frombuffer(data, kind).reshape(entry["height"], entry["width"], SIZES[entry["format"]])
    return pixels[..., ORDERS[entry["format"]]]


def played(entry, settings):
    """Codes of red, green and blue after the signal path."""
    codes = decode((GOLDEN / entry["input"]).read_bytes(), entry)
    largest = np.float32(np.iinfo(codes.dtype).max)
    rgb = codes.astype(np.float32) * np.float32(1 / largest)
    result = play(rgb, settings, entry["frame"], entry["interlace"])
    after = np.floor(np.clip(result * largest, 0, largest)).astype(codes.dtype)
    if entry["interlace"] in ("top", "bottom"):
        rows = slice(1 if entry["interlace"] == "top" else 0, None, 2)
        after[rows] = codes[rows]
    return after


def check():
    failed = False
    defaults = preset("default")
    for name in ("manifest.json", "standards.json"):
        for entry in json.loads((GOLDEN / name).read_text(encoding="utf-8")):
            if entry["format"] not in ORDERS:
                continue
            settings = defaults | LEGACY | preset(Path(entry["preset"]).name.removesuffix(".json"))
            expected = decode((GOLDEN / entry["output"]).read_bytes(), entry).astype(int)
            difference = np.abs(played(entry, settings).astype(int) - expected)
            share = np.count_nonzero(difference) / difference.size
            is_deep = entry["format"] == "xrgb16"
            is_fault = difference.max() > (4 if is_deep else 1) or (
                not is_deep and np.count_nonzero(difference) > max(1, difference.size / 5_000))
            failed |= is_fault
            print(f"{difference.max()} {share:.5%} {entry['output']}{' FAULT' if is_fault else ''}", flush=True)
    sys.exit(failed)


def write(folder):
    (folder / "presets").mkdir(parents=True)
    (folder / "frames").mkdir()
    entries = []
    for base, changes, (picture, width, height), numbers, interlace in FRAMES:
        settings = preset(base) | changes
        settings["version"] = settings.pop("version")
        name = base + "".join(f".{key}={value}" for key, value in changes.items())
        (folder / f"presets/{name}.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")
        for number in numbers:
            entry = {
                "preset": f"presets/{name}.json", "input": f"inputs/{picture}-{width}x{height}-rgbx.raw",
                "output": f"frames/{name}-{picture}-{width}x{height}-rgbx-f{number}-{interlace}.raw",
                "width": width, "height": height, "frame": number, "format": "rgbx", "interlace": interlace}
            after = np.full((height, width, 4), 255, np.uint8)
            after[..., :3] = played(entry, settings)
            (folder / entry["output"]).write_bytes(after.tobytes())
            entries.append(entry)
            print(entry["output"], flush=True)
    (folder / "standards.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check()
    elif sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        write(Path(sys.argv[2]))
    else:
        sys.exit(__doc__.strip())
