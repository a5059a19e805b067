"""Creates films in many formats with FFmpeg. `make(name, folder)` writes one film."""

import shlex
import struct
import subprocess
from pathlib import Path

from support import PATIENCE  # support adds Tests to the path

from rotation import rotated

_PICTURES = "-f lavfi -i testsrc2=s=160x120:r=25:d=2.4"
_SOUND = "-f lavfi -i sine=b=4:d=2.4:r=48000"
_LATE = "-itsoffset 0.7 "
_H264 = "-c:v libx264 -preset veryfast -g 25"
_HEVC = "-c:v libx265 -preset ultrafast -x265-params keyint=25:log-level=none"
# Arguments of a film with sound. Several films have the same arguments.
_BASE = f"{_PICTURES} {_SOUND} {_H264} -c:a aac"

# Arguments of FFmpeg, without the output file, by the name of the film. A name in braces is the path of another film.
FILMS = {
    # Containers and codecs.
    "h264 aac.mkv": _BASE,
    "h264 opus.mkv": f"{_PICTURES} {_SOUND} {_H264} -c:a libopus",
    "h264.mkv": f"{_PICTURES} {_H264}",
    "h264 mp3.mkv": f"{_PICTURES} {_SOUND} {_H264} -bf 0 -c:a libmp3lame",
    "hevc ac3.mkv": f"{_PICTURES} {_SOUND} {_HEVC} -c:a ac3",
    "hevc.mp4": f"{_PICTURES} {_HEVC} -tag:v hvc1",
    "mpeg4 flac.mkv": f"{_PICTURES} {_SOUND} -c:v mpeg4 -g 25 -bf 2 -c:a flac",
    "mjpeg pcm.mkv": f"{_PICTURES} {_SOUND} -c:v mjpeg -q:v 3 -c:a pcm_s16le",
    "ffv1 vorbis.mkv": f"{_PICTURES} {_SOUND} -c:v ffv1 -c:a libvorbis",
    "vp8 vorbis.webm": f"{_PICTURES} {_SOUND} -c:v libvpx -g 25 -deadline realtime -c:a libvorbis",
    "vp9 opus.webm": f"{_PICTURES} {_SOUND} -c:v libvpx-vp9 -g 25 -deadline realtime -cpu-used 8 -c:a libopus",
    "vp9.webm": f"{_PICTURES} -c:v libvpx-vp9 -g 25 -deadline realtime -cpu-used 8",
    "av1 opus.webm": f"{_PICTURES} {_SOUND} -c:v libaom-av1 -g 25 -usage realtime -cpu-used 8 -c:a libopus",
    "h264 aac.mp4": _BASE,
    "h264 opus.mp4": f"{_PICTURES} {_SOUND} {_H264} -c:a libopus",
    "mpeg4 mp3.mp4": f"{_PICTURES} {_SOUND} -c:v mpeg4 -g 25 -c:a libmp3lame",
    "av1 aac.mp4": f"{_PICTURES} {_SOUND} -c:v libaom-av1 -g 25 -usage realtime -cpu-used 8 -c:a aac",
    "prores pcm.mov": f"{_PICTURES} {_SOUND} -c:v prores_ks -c:a pcm_s16le",
    "mjpeg aac.mov": f"{_PICTURES} {_SOUND} -c:v mjpeg -q:v 3 -c:a aac",
    "h264 aac.ts": _BASE,
    "mpeg2 mp2.ts": f"{_PICTURES} {_SOUND} -c:v mpeg2video -g 15 -bf 2 -c:a mp2",
    "hevc aac.ts": f"{_PICTURES} {_SOUND} {_HEVC} -c:a aac",
    "mpeg4 mp3.avi": f"{_PICTURES} {_SOUND} -c:v mpeg4 -g 25 -c:a libmp3lame",
    "mpeg4 b-frames.avi": f"{_PICTURES} {_SOUND} -c:v mpeg4 -g 25 -bf 2 -c:a pcm_s16le",
    "mjpeg.avi": f"{_PICTURES} -c:v mjpeg -q:v 3",
    "h264 mp3.avi": f"{_PICTURES} {_SOUND} {_H264} -bf 0 -c:a libmp3lame",
    "h264 aac.flv": _BASE,
    "sorenson mp3.flv": f"{_PICTURES} {_SOUND} -c:v flv -g 25 -c:a libmp3lame -ar 44100",
    "theora vorbis.ogg": f"{_PICTURES} {_SOUND} -c:v libtheora -g 25 -c:a libvorbis",
    "mpeg2 mp2.mpg": f"{_PICTURES} {_SOUND} -c:v mpeg2video -g 15 -bf 2 -c:a mp2",
    "wmv2 wmav2.wmv": f"{_PICTURES} {_SOUND} -c:v wmv2 -g 25 -c:a wmav2",
    # Streams copied from another container.
    "copied from mp4.mkv": "-i {h264 aac.mp4} -c copy",
    "copied from mkv.mp4": "-i {h264 aac.mkv} -c copy",
    "copied from ts.mkv": "-i {h264 aac.ts} -c copy",
    # Times.
    "late audio.mkv": f"{_PICTURES} {_LATE}{_SOUND} {_H264} -c:a aac",
    "late video.mkv": f"{_LATE}{_PICTURES} {_SOUND} {_H264} -c:a aac",
    "late audio.mp4": f"{_PICTURES} {_LATE}{_SOUND} {_H264} -c:a aac",
    "late video.mp4": f"{_LATE}{_PICTURES} {_SOUND} {_H264} -c:a aac",
    "late video.ts": f"{_LATE}{_PICTURES} {_SOUND} {_H264} -c:a aac",
    "edit list.mp4": "-ss 0.08 -i {h264 aac.mp4} -c copy",
    "begins later.mkv": f"{_BASE} -output_ts_offset 20",
    "begins later.ts": f"{_BASE} -output_ts_offset 20",
    "begins later.mp4": f"{_BASE} -output_ts_offset 3",
    "variable rate.mkv": f"{_PICTURES} {_SOUND} -vf setpts='(N+mod(N\\,3)*0.4)/25/TB' -fps_mode vfr {_H264} -c:a aac",
    "variable rate.mp4": f"{_PICTURES} {_SOUND} -vf setpts='(N+mod(N\\,3)*0.4)/25/TB' -fps_mode vfr {_H264} -c:a aac",
    "slower.mp4": f"{_PICTURES} {_SOUND} -vf select='lt(n\\,40)+not(mod(n\\,4))' -fps_mode vfr {_H264} -c:a aac",
    "long audio.mkv": f"{_PICTURES} -f lavfi -i sine=d=4 {_H264} -c:a aac",
    "shorter audio.mp4": f"{_PICTURES} -f lavfi -i sine=d=1.5 {_H264} -c:a aac",
    "short audio.mkv": f"{_PICTURES} -f lavfi -i sine=d=0.3 {_H264} -c:a aac",
    # Streams.
    "two audio tracks.mkv": f"{_PICTURES} {_SOUND} -f lavfi -i sine=f=900:d=2.4 -map 0 -map 1 -map 2 {_H264} "
                            "-c:a libopus",
    "5.1.mkv": f"{_PICTURES} {_SOUND} {_H264} -c:a aac -ac 6",
    "subtitles.mkv": f"{_PICTURES} {_SOUND} -i {{lines.srt}} {_H264} -c:a aac -c:s srt",
    "subtitles.mp4": f"{_PICTURES} {_SOUND} -i {{lines.srt}} {_H264} -c:a aac -c:s mov_text",
    "cover art.mkv": f"{_PICTURES} {_SOUND} {_H264} -c:a aac -attach {{cover.png}} -metadata:s:t mimetype=image/png",
    "cover art.mp4": f"{_PICTURES} {_SOUND} -i {{cover.png}} -map 0 -map 1 -map 2 {_H264} -c:v:1 png "
                     "-disposition:v:1 attached_pic -c:a aac",
    "rotated.mp4": shlex.join(rotated("h264 aac.mp4", 90)).replace("'h264 aac.mp4'", "{h264 aac.mp4}"),
    # Pictures.
    "open gop.mkv": f"{_PICTURES} {_SOUND} {_H264} -bf 3 -x264-params open-gop=1:scenecut=0 -c:a aac",
    "interlaced.mkv": f"{_PICTURES} {_SOUND} {_H264} -flags +ildct+ilme -x264-params tff=1 -c:a aac",
    # testsrc2 rounds an odd size.
    "odd size.mkv": "-f lavfi -i testsrc=s=161x121:r=25:d=2.4 "
                    f"{_SOUND} {_H264} -pix_fmt yuv444p -c:a aac",
    "10 bit.mkv": f"{_PICTURES} {_SOUND} {_H264} -pix_fmt yuv420p10le -c:a aac",
    "prores.mov": f"{_PICTURES} {_SOUND} -c:v prores_ks -pix_fmt yuv422p10le -c:a aac",
    "rgb.mkv": f"{_PICTURES} {_SOUND} -c:v ffv1 -pix_fmt bgr0 -c:a aac",
    "alpha.webm": f"{_PICTURES} {_SOUND} -vf format=yuva420p,colorchannelmixer=aa=0.5,format=yuva420p -c:v libvpx-vp9 "
                  "-g 25 -auto-alt-ref 0 -deadline realtime -cpu-used 8 -c:a libopus",
    "ntsc rate.mkv": f"-f lavfi -i testsrc2=s=160x120:r=30000/1001:d=2.4 {_SOUND} {_H264} -c:a aac",
    'odd "name" für \\ 100 %.mkv': _BASE,
}

_SUBTITLES = "1\n00:00:00,500 --> 00:00:01,500\nLine\n"


def make(name: str, folder: Path) -> Path:
    """Returns the path of a film in the folder. Creates the film and its sources if they do not exist."""
    path = folder / name
    if path.exists():
        return path
    if name.endswith(".srt"):
        path.write_text(_SUBTITLES)
        return path
    arguments = FILMS.get(name, "-f lavfi -i color=red:s=60x60 -frames:v 1")
    head, *others = arguments.split("{")
    text = head
    for other in others:
        source, _, rest = other.partition("}")
        text += shlex.quote(str(make(source, folder))) + rest
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-threads", "1", *shlex.split(text), "-threads", "1",
                    str(path)], check=True, capture_output=True, text=True, timeout=PATIENCE)
    return path


def with_parts(source: Path, output: Path, parts: list[tuple[float, float]]) -> None:
    """Copies an MP4 whose header is at its end, with `parts` as edit list. A part is (start, length) in seconds."""
    data = bytearray(source.read_bytes())

    def boxes(*names: bytes) -> list[tuple[int, int]]:
        """Position and size of each box on the path `names`, from the outermost to the innermost box."""
        found, place, end = [], 0, len(data)
        for name in names:
            while data[place + 4:place + 8] != name:
                place += struct.unpack_from(">I", data, place)[0]
                assert place < end
            found.append((place, struct.unpack_from(">I", data, place)[0]))
            end, place = sum(found[-1]), place + 8
        return found

    def timescale(*names: bytes) -> int:
        return struct.unpack_from(">I", data, boxes(*names)[-1][0] + 20)[0]

    film, media = timescale(b"moov", b"mvhd"), timescale(b"moov", b"trak", b"mdia", b"mdhd")
    entries = b"".join(struct.pack(">IiI", round(length * film), round(begin * media), 1 << 16)
                       for begin, length in parts)
    edits = struct.pack(">I4sII", 16 + len(entries), b"elst", 0, len(parts)) + entries
    *outer, (place, size) = boxes(b"moov", b"trak", b"edts", b"elst")
    for box, length in outer:
        struct.pack_into(">I", data, box, length + len(edits) - size)
    data[place:place + size] = edits
    output.write_bytes(data)
