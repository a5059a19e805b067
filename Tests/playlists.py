"""Files that refer to other files, hosts or elements. Tested programs must not follow these references."""

from __future__ import annotations

import socket
from pathlib import Path

_NONE = "properties='properties;' metadatas='metadatas;'"


class Host:
    """A local TCP server that never answers."""

    def __enter__(self) -> Host:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._socket.getsockname()[1]}"

    def was_asked(self) -> bool:
        """Whether a program has connected to the server."""
        try:
            self._socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True


def playlists(made: Path) -> list[tuple[str, str]]:
    """Media types and contents of files. HOST is a placeholder. When one of the projects plays, it creates `made`."""
    clip = f"layer-priority='0' track-types='4' start='0' duration='2000000000' inpoint='0' rate='0' {_NONE}"
    return [
        ("application/x-hls", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://HOST/film.ts\n#EXT-X-ENDLIST\n"),
        ("application/dash+xml",
         '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
         'mediaPresentationDuration="PT4S" minBufferTime="PT1S" '
         'profiles="urn:mpeg:dash:profile:isoff-main:2011"><BaseURL>http://HOST/</BaseURL><Period>'
         '<AdaptationSet mimeType="video/mp4"><Representation id="1" codecs="avc1.4d401e" bandwidth="1000">'
         '<SegmentList duration="2"><Initialization sourceURL="i.mp4"/><SegmentURL media="a.m4s"/></SegmentList>'
         "</Representation></AdaptationSet></Period></MPD>"),
        ("application/sdp",
         "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n"
         "a=control:rtsp://HOST/x\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n"),
        ("application/xges", _project(
            "<ressources/>", f"<clip id='0' asset-id='GESTestClip' type-name='GESTestClip' {clip}>"
            f"<effect asset-id='identity fakesrc ! filesink location=&quot;{made}&quot; async=false' clip-id='0' "
            f"type-name='GESEffect' track-type='4' track-id='0' {_NONE}/></clip>")),
        ("application/xges", _project(
            "<ressources><asset id='http://HOST/film.mkv' extractable-type-name='GESUriClip' properties='properties, "
            "supported-formats=(int)4, duration=(guint64)2000000000;' metadatas='metadatas;'/></ressources>",
            f"<clip id='0' asset-id='http://HOST/film.mkv' type-name='GESUriClip' {clip}/>")),
    ]


def _project(assets: str, clip: str) -> str:
    return (f"<ges version='0.4'><project {_NONE}>{assets}<timeline {_NONE}>"
            f"<track caps='video/x-raw(ANY)' track-type='4' track-id='0' {_NONE}/>"
            f"<layer priority='0' {_NONE}>{clip}</layer></timeline></project></ges>")
