"""Runs an RTSP server with the filter in its launch line, and a client that plays it: rtsp.py"""
import sys

import built
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer

built.need("ntscfilter", "x264enc", "rtspsrc")
encoders = {
    "/h264": "x264enc tune=zerolatency speed-preset=ultrafast ! rtph264pay name=pay0 pt=96",
    "/jpeg": "jpegenc ! rtpjpegpay name=pay0 pt=26",
}
server = GstRtspServer.RTSPServer(address="127.0.0.1", service="0")
for path, encoder in encoders.items():
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(
        "( videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=30/1 ! videoconvert ! ntscfilter "
        f"! videoconvert ! video/x-raw,format=I420 ! {encoder} )"
    )
    server.get_mount_points().add_factory(path, factory)
server.attach(None)
loop = GLib.MainLoop()


def watch(path):
    client = Gst.parse_launch(
        f"rtspsrc location=rtsp://127.0.0.1:{server.get_bound_port()}{path} latency=50 ! decodebin "
        "! identity eos-after=30 ! fakesink sync=false"
    )
    result = []

    def heard(_, message):
        if message.type == Gst.MessageType.ERROR:
            result.append(message.parse_error()[0].message)
        if message.type in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
            loop.quit()

    client.get_bus().add_signal_watch()
    client.get_bus().connect("message", heard)
    client.set_state(Gst.State.PLAYING)
    timer = GLib.timeout_add_seconds(20, lambda: result.append("no picture within 20 s") or loop.quit())
    loop.run()
    GLib.source_remove(timer) if "no picture within 20 s" not in result else None
    client.set_state(Gst.State.NULL)
    print(f"rtsp {path}: {result[0] if result else 'ok'}")
    return not result


sys.exit(0 if all([watch(path) for path in encoders]) else 1)
