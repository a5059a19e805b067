"""A server and its client in one process. A server has no EOS, so the run lasts its nominal time."""
import gi
from gi.repository import GLib, Gst


class Loopback:
    """A sending pipeline and a receiving pipeline."""

    def __init__(self, player):
        self.player = player

    def attached(self):
        GLib.timeout_add(round((self.player.seconds + 2) * 1000), self.player.end, "ended")

    def stop(self):
        """Stops the server. `Player` calls this method when the client has stopped."""


class RTSP(Loopback):
    """gst-rtsp-server with the queue in its launch line. Frames are counted after the depayloader of the client."""

    def pipeline(self, text):
        gi.require_version("GstRtspServer", "1.0")
        from gi.repository import GstRtspServer

        self.server = GstRtspServer.RTSPServer(address="127.0.0.1", service="0")
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(text)
        factory.connect("media-configure", self._configure)
        self.server.get_mount_points().add_factory("/live", factory)
        self.server.attach(None)
        return Gst.parse_launch(
            f"rtspsrc location=rtsp://127.0.0.1:{self.server.get_bound_port()}/live latency=50 protocols=tcp "
            "! rtph264depay ! h264parse ! video/x-h264,alignment=au ! identity name=end ! fakesink"
        )

    def _configure(self, _, media):
        self.player.recorder.attach_queue(media.get_element().get_by_name("q"))


class WebRTC(Loopback):
    """Two webrtcbin that negotiate without a network. Frames are counted after the depayloader of the receiver."""

    def pipeline(self, text):
        gi.require_version("GstWebRTC", "1.0")
        from gi.repository import GstWebRTC

        self.types = GstWebRTC
        return Gst.parse_launch(f"{text}  webrtcbin name=receiver")

    def attached(self):
        super().attached()
        pipeline = self.player.pipeline
        self.sender, self.receiver = pipeline.get_by_name("sender"), pipeline.get_by_name("receiver")
        self.sender.connect("on-ice-candidate", lambda _, *it: self.receiver.emit("add-ice-candidate", *it))
        self.receiver.connect("on-ice-candidate", lambda _, *it: self.sender.emit("add-ice-candidate", *it))
        self.receiver.connect("pad-added", self._received)
        self.sender.connect("on-negotiation-needed", self._offer)

    def _offer(self, _):
        self.sender.emit("create-offer", None, Gst.Promise.new_with_change_func(self._offered))

    def _offered(self, promise):
        # `reply` owns the description, so keep it.
        reply = promise.get_reply()
        offer = reply.get_value("offer")
        self.sender.emit("set-local-description", offer, None)
        self.receiver.emit("set-remote-description", offer, None)
        self.receiver.emit("create-answer", None, Gst.Promise.new_with_change_func(self._answered))

    def _answered(self, promise):
        reply = promise.get_reply()
        answer = reply.get_value("answer")
        self.receiver.emit("set-local-description", answer, None)
        self.sender.emit("set-remote-description", answer, None)

    def _received(self, _, pad):
        depayloader = Gst.parse_bin_from_description("rtpvp8depay name=end ! fakesink sync=false", True)
        self.player.pipeline.add(depayloader)
        self.player.recorder.attach_end(depayloader.get_by_name("end"))
        depayloader.sync_state_with_parent()
        pad.link(depayloader.get_static_pad("sink"))


KINDS = {"rtsp": RTSP, "webrtc": WebRTC}
