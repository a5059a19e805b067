"""Draws spectrograms of tapeaudio, and compares them with the figures of docs/elements/tapeaudio.md.

    /usr/bin/python3 Tests/hosts/sound/spectrogram.py FOLDER

Plays a sweep from 20 Hz to 20 kHz at -20 dB of full scale and silence through the element in GST_PLUGIN_PATH: each track
and tape speed, and eight generations. FOLDER gets a PNG of each, with the defaults: time from left to right, ten octaves from
20 Hz upwards, grey lines at 31, 125, 500, 2000 and 8000 Hz, and levels from -110 dB (black) to full scale. The curves that
cross the sweep are its sidebands by drop-outs, which lie in each field.

Prints the frequencies at which the sweep has lost 3 dB, the level of the silence, and the height of the synchronisation
pulses, and fails if one of them is not the stated one: limits within 5 %, levels within 1 dB. NumPy computes everything,
without code of the plugin. It takes 10 s.
"""

import struct
import subprocess
import sys
import tempfile
import wave
import zlib
from pathlib import Path

import numpy as np

RATE, SWEEP, SILENCE = 48_000, 8.0, 4.0
LOWEST, HIGHEST = 20.0, 20_000.0
LINE_RATE, PULSE = 525 * 30_000 / 1001, 4.7e-6
# Properties, limits of the band in hertz, noise and pulses in dB; docs/elements/tapeaudio.md. None is not compared.
TRACKS = {
    "linear-sp": (["track=linear", "tape-speed=sp"], 100, 10_000, -42, -42),
    "linear-lp": (["track=linear", "tape-speed=lp"], 100, 7_000, -42, -42),
    "linear-ep": (["track=linear", "tape-speed=ep"], 100, 4_000, -42, -42),
    "hi-fi": (["track=hi-fi"], 20, 20_000, -70, None),
    "linear-sp-8-generations": (["track=linear", "tape-speed=sp", "generations=8"], 185, 7_800, -33, None),
}
# What would hide the limits and the levels.
PLAIN = ["treble-boost=0", "linear-wow-flutter=0", "hifi-wow-flutter=0", "drop-outs=off", "head-switching-noise=-120"]
QUIET = ["linear-noise=-120", "hifi-noise=-120", "buzz=-120"]


def sweep():
    time = np.arange(round(SWEEP * RATE)) / RATE
    ratio = np.log(HIGHEST / LOWEST)
    phase = 2 * np.pi * LOWEST * SWEEP / ratio * (np.exp(time / SWEEP * ratio) - 1)
    return np.concatenate([0.1 * np.sin(phase), np.zeros(round(SILENCE * RATE))])


def played(samples, properties, folder):
    source, result = folder / "in.wav", folder / "out.raw"
    with wave.open(str(source), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={source}", "!", "wavparse", "!", "audioconvert", "!",
                    "audio/x-raw,format=F32LE", "!", "tapeaudio", *properties, "!", "filesink", f"location={result}"],
                   check=True)
    return np.fromfile(result, "<f4").astype(float)


def limits(before, after):
    """Frequencies below and above 1 kHz at which the sweep has lost 3 dB."""
    gain = np.abs(np.fft.rfft(after)) / np.maximum(np.abs(np.fft.rfft(before)), 1e-9)
    hertz = np.fft.rfftfreq(len(before), 1 / RATE)
    # The mean gain of a twelfth of an octave, at frequencies that are as dense.
    places = LOWEST * 2 ** np.arange(-6, 12 * 10 + 6, 0.25 / 12)
    places = places[(places > 12) & (places < 23_500)]
    means = np.array([gain[(hertz > place / 2**(1 / 24)) & (hertz < place * 2**(1 / 24))].mean() for place in places])
    decibels = 20 * np.log10(means / means[np.argmin(np.abs(places - 1_000))])
    passed = places[decibels > -3.01]
    return passed.min(), passed.max()


def decibels(power):
    return 10 * np.log10(np.maximum(power, 1e-30))


def height_of_pulses(silence):
    """Height of the pulses in dB, from the fourth harmonic of the field rate."""
    hertz = 4 * 60_000 / 1001
    # Ten lines in each field of 262.5 are pulses as a whole, and the others in the part of their own pulse.
    share, rest = 10 / 262.5, PULSE * LINE_RATE
    expected = 2 / (np.pi * 4) * np.sin(np.pi * 4 * share) * (1 - rest)
    window = np.hanning(len(silence))
    turn = np.exp(-2j * np.pi * hertz * np.arange(len(silence)) / RATE)
    return 20 * np.log10(2 * np.abs((silence * window * turn).sum()) / window.sum() / expected)


def draw(samples, path):
    """A spectrogram; columns of 10 ms, rows of a twelfth of an octave in three pixels."""
    size, step = 8192, RATE // 100
    starts = range(0, len(samples) - size, step)
    window = np.hanning(size)
    spectra = np.array([np.abs(np.fft.rfft(samples[start:start + size] * window)) for start in starts]) / window.sum() * 2
    places = LOWEST * 2 ** (np.arange(360)[::-1] / 36)
    bins = np.clip(np.round(places / RATE * size).astype(int), 1, size // 2)
    grey = np.clip((decibels(spectra[:, bins].T ** 2) + 110) / 110 * 255, 0, 255).astype(np.uint8)
    for line in 31.25 * 4 ** np.arange(5):
        grey[np.argmin(np.abs(places - line)), ::8] = 128
    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    before, faults = sweep(), 0
    silent = slice(round((SWEEP + 1) * RATE), None)
    for name, (track, low, high, noise, buzz) in TRACKS.items():
        with tempfile.TemporaryDirectory() as work:
            work = Path(work)
            draw(played(before, track, work), folder / f"{name}.png")
            found = limits(before, played(before, [*track, *PLAIN, *QUIET], work))
            level = decibels((played(before, [*track, *PLAIN, "buzz=-120"], work)[silent] ** 2).mean())
            pulses = height_of_pulses(played(before, [*track, *PLAIN, *QUIET[:2], "low-cut=1"], work)[silent])
        # A comparison with NaN is false.
        is_fault = not (abs(found[0] / low - 1) <= 0.05 and abs(min(found[1], HIGHEST) / high - 1) <= 0.05
                        and abs(level - noise) <= 1 and (buzz is None or abs(pulses - buzz) <= 1))
        faults += is_fault
        print(f"{name:24} {found[0]:6.0f} to {found[1]:6.0f} Hz, noise {level:6.1f} dB, pulses {max(pulses, -120):6.1f} dB"
              f"{' FAULT' if is_fault else ''}", flush=True)
    return bool(faults)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    sys.exit(main(Path(sys.argv[1])))
