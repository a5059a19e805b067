"""Plays the launch lines that need a server, ends each with Ctrl-C, and checks status, messages, leaks and files."""
import concurrent.futures
import os
import re
import shlex
import signal
import subprocess

from gi.repository import Gst

LEAK = re.compile(r"object-alive, type-name=\(string\)(\w+)")
# Lines of the output that are faults. The first two warnings are only notes.
BAD = re.compile(r"CRITICAL|ERROR|WARNING|Trace/breakpoint|Fatal error")


# Leaks of elements of GStreamer 1.22 with any source. splitmuxsink leaks a GAP event that precedes the first buffer.
STOCK_LEAKS = {"playbin": {"GstPad", "GstVolume"}, "splitmuxsink": {"GstEvent"}}


def play_all(lines, options, folder):
    worse = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for line, (faults, told) in zip(lines, pool.map(lambda line: play_again(line, options, folder), lines)):
            if faults:
                worse.append(line.name)
            print(("FAULT " if faults else "good  ") + f"{line.name}: " + "; ".join(faults + told), flush=True)
    print(f"{len(lines)} lines played, {len(worse)} with faults" + (": " + ", ".join(worse) if worse else ""))
    return 1 if worse else 0


def play_again(line, options, folder):
    """Plays a line. If all faults are faults of the device, which other load may cause, plays the line again."""
    faults, told = play(line, options, folder)
    if faults and all(text.startswith("device: ") for text in faults):
        faults, told = play(line, options, folder)
    return faults, told


def play(line, options, folder):
    """Plays a line. Returns its faults and notes."""
    own = os.path.join(folder, re.sub(r"\W", "-", line.name))
    os.makedirs(own, exist_ok=True)
    log = os.path.join(own, "trace.log")
    # XDG_DATA_HOME gives each player its own identity.
    environment = {**os.environ, "XDG_DATA_HOME": own, "G_DEBUG": "fatal-criticals", "GST_TRACERS": "leaks",
                   "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": log, "GST_DEBUG_NO_COLOR": "1"}
    text = line.line.replace("{uri}", options.server).replace("{folder}", own)
    text = with_logs(text, own)
    process = subprocess.Popen(["gst-launch-1.0", "-e", "-m", *shlex.split(text)], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    faults, is_hanging = [], False
    try:
        output, _ = process.communicate(timeout=options.seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            is_hanging = True
            process.kill()
            output, _ = process.communicate()
    if is_hanging:
        faults.append("Ctrl-C does not end it: " + " | ".join(output.splitlines()[-4:]))
    elif bool(process.returncode) != bool(line.status):
        faults.append(f"status {process.returncode} instead of {line.status}: " + " | ".join(output.splitlines()[-6:]))
    bad = [text for text in output.splitlines() if BAD.search(text) and "Leaks detected" not in text] if line.status == 0 else []
    told = [text for text in bad if "WARNING" in text][:2]
    faults += [text for text in bad if text not in told][:2]
    if line.file and not is_hanging:
        faults += check(os.path.join(own, line.file), line.seconds)
    if not is_hanging:
        with open(log, encoding="utf-8", errors="replace") as file:
            leaks = set(LEAK.findall(file.read()))
        for name, known in STOCK_LEAKS.items():
            if name in line.line:
                leaks -= known
        if leaks:
            faults.append("leaks " + " ".join(sorted(leaks)))
    if "virtualdac" in line.line and not is_hanging and line.status == 0 and "{uri}" in line.line:
        for number in range(line.line.count("virtualdac")):
            is_corrected = "sendspinsync" in line.line or "sendspinplay" in line.line
            some, text = device(os.path.join(own, f"dac{number}.csv"), is_corrected)
            faults += some
            told.append(text)
    return faults, told


def with_logs(text, folder):
    """Sets the clock of the server and a log file at each virtualdac."""
    count = 0
    while (found := re.search(r"(?<![\w-])virtualdac(?! monotonic)", text)):
        dac = f"virtualdac monotonic-raw=true log-location={folder}/dac{count}.csv"
        count += 1
        if text[:found.start()].endswith("audio-sink="):
            dac = f"'\"{dac}\"'" if "playbin" in text else f"'{dac}'"
        text = text[:found.start()] + dac + text[found.end():]
    return text


def device(log, is_corrected):
    """Returns the faults and the figures of a virtual DAC. If `is_corrected`, single frames correct its drift."""
    if not os.path.exists(log):
        return ["the device was not opened"], ""
    with open(log, encoding="utf-8") as file:
        values = dict(re.findall(r"^# ?([\w-]+)[=:, ]+(-?\d+)", file.read(), re.MULTILINE))
    keys = ("frames", "silent", "splices", "repeated", "lost", "unknown", "underruns", "discarded", "first-error",
            "error-min", "error-max")
    text = "dac " + " ".join(f"{key}={values[key]}" for key in keys if key in values)
    single = int(values.get("frames", 0)) // 20_000 if is_corrected else 0
    most = {"splices": 1, "lost": 1 + single}
    faults = [f"device: {key} {values[key]}" for key in most if int(values.get(key, 0)) > most[key]]
    return faults + ([] if int(values.get("error-count", 0)) > 48000 else ["device: no second of the ramp"]), text


def check(path, seconds):
    """Decodes the file to its end. Returns a fault if the audio is too short, silent or damaged."""
    if not os.path.exists(path):
        return ["there is no file"]
    pipeline = Gst.parse_launch(f"filesrc location={path} ! decodebin name=d  d. ! audioconvert ! audio/x-raw,format=S16LE "
                                "! fakesink name=end")
    total = [0, 0]

    def saw(_, info):
        buffer = info.get_buffer()
        found, place = buffer.map(Gst.MapFlags.READ)
        if found:
            total[0] += len(place.data)
            total[1] += any(place.data)
            buffer.unmap(place)
        return Gst.PadProbeReturn.OK

    pad = pipeline.get_by_name("end").get_static_pad("sink")
    pad.add_probe(Gst.PadProbeType.BUFFER, saw)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    caps = pad.get_current_caps()
    pipeline.set_state(Gst.State.NULL)
    if message is None or message.type != Gst.MessageType.EOS or caps is None:
        return [f"the file of {os.path.getsize(path)} bytes is damaged: {message and message.parse_error()[0].message}"]
    info = caps.get_structure(0)
    length = total[0] / 2 / info.get_int("channels")[1] / info.get_int("rate")[1]
    faults = [] if length >= seconds else [f"the file has {length:.1f} s"]
    return faults + ([] if total[1] else ["the file is silent"])
