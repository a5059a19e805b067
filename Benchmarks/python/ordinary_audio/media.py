"""The files that the pipelines play."""
import array
import os
import time

from gi.repository import Gst

TONE = "audiotestsrc wave=ticks num-buffers=94 samplesperbuffer=1024 ! audio/x-raw,rate={rate},channels=2"
PICTURE = "videotestsrc num-buffers=60 ! video/x-raw,width=160,height=120,framerate=30/1 ! vp8enc deadline=1 cpu-used=8 ! m."
LINES = {
    "wav": TONE.format(rate=48000) + ",format=S16LE ! wavenc",
    "slow": TONE.format(rate=44100) + ",format=S16LE ! wavenc",
    "raw": TONE.format(rate=48000) + ",format=S16LE ! identity",
    "flac": TONE.format(rate=48000) + " ! audioconvert ! flacenc",
    "ogg": TONE.format(rate=48000) + " ! audioconvert ! vorbisenc ! oggmux",
    "mp3": TONE.format(rate=44100) + " ! audioconvert ! lamemp3enc ! id3v2mux",
    "m4a": TONE.format(rate=48000) + " ! audioconvert ! avenc_aac ! mp4mux",
    "webm": PICTURE + "  " + TONE.format(rate=48000) + " ! audioconvert ! vorbisenc ! m.  webmmux name=m",
}
RATE, SECONDS, PERIOD = 48000, 4, 32767 * 32768


def make(folder):
    """Writes the files and returns their paths by name."""
    places = {name: os.path.join(folder, f"{name}.{name if name not in ('slow',) else 'wav'}") for name in LINES}
    for name, line in LINES.items():
        pipeline = Gst.parse_launch(f"{line} ! filesink location={places[name]}")
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        if message is None or message.type == Gst.MessageType.ERROR:
            raise SystemExit(f"{name} cannot be written: {message and message.parse_error()}")
        pipeline.set_state(Gst.State.NULL)
    places["empty"] = os.path.join(folder, "empty.wav")
    write_wav(places["empty"], b"")
    return places


def write_ramp(path):
    """Writes a file with the ramp of the virtual DAC. The ramp begins 2 s after the present monotonic time."""
    first = int(time.clock_gettime(time.CLOCK_MONOTONIC) + 2) * RATE
    frames = array.array("h")
    for index in range(first, first + SECONDS * RATE):
        high, low = divmod(index % PERIOD, 32768)
        frames.append(32767 - low if high & 1 else low)
        frames.append(high + 1)
    write_wav(path, frames.tobytes())


def write_wav(path, data):
    import wave

    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(data)
