"""Elements, packages and introspection data that a row requires."""
import re

import gi
from gi.repository import Gst

import decoding

PACKAGES = {
    "gstreamer1.0-plugins-base": "opusenc vorbisenc theoraenc oggmux compositor videorate videoscale videoconvert "
    "audioconvert audioresample appsink appsrc decodebin",
    "gstreamer1.0-plugins-good": "vp8enc vp8dec vp9enc jpegenc flacenc matroskamux webmmux mp4mux flvmux splitmuxsink "
    "rtph264pay rtph264depay rtpvp8pay rtpvp8depay rtpjpegpay rtpjitterbuffer rtspsrc udpsink deinterlace aacparse",
    "gstreamer1.0-plugins-bad": "h264parse x265enc openh264enc av1enc hlssink2 mpegtsmux interlace webrtcbin "
    "dtlssrtpenc srtpenc",
    "gstreamer1.0-plugins-ugly": "x264enc",
    "gstreamer1.0-libav": "avdec_h264 avenc_aac",
    "gstreamer1.0-nice": "nicesrc",
}
TYPELIBS = {"GstRtspServer": "gir1.2-gst-rtsp-server-1.0", "GstWebRTC": "gir1.2-gst-plugins-bad-1.0"}
# The name of an element, after the start of the text, an exclamation mark, a bracket, or two spaces.
ELEMENT = re.compile(r"(?:^|!|\(|\s\s)\s*([a-z][a-z0-9_]+)(?=\s|$)")


def missing(row):
    """Returns the elements and packages that are missing for the row."""
    text = row.text("queue", 1, "clip", "folder")
    names = [*ELEMENT.findall(text), *row.needs_elements, *(decoding.elements(text) if row.decoded else [])]
    absent = [f"{name} ({_package(name)})" for name in dict.fromkeys(names) if Gst.ElementFactory.find(name) is None]
    if row.needs_typelib and not _has_typelib(row.needs_typelib):
        absent.append(f"{row.needs_typelib} ({TYPELIBS[row.needs_typelib]})")
    return absent


def packages():
    """Returns the Debian packages for all rows that Debian 12 can play."""
    return [name for name in PACKAGES if " " not in name] + list(TYPELIBS.values())


def _package(element):
    return next((package for package, elements in PACKAGES.items() if element in elements.split()), "package unknown")


def _has_typelib(name):
    try:
        gi.require_version(name, "1.0")
    except ValueError:
        return False
    return True
