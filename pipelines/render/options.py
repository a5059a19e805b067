"""Parses the command line."""

import argparse
import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from launch import is_plain, shown
from output import Mistake, check

from . import fragments
from .refusal import Refusal
from .times import SECOND, parse_duration

_EXAMPLES = """\
  pipelines/batch holiday.mp4 holiday-vhs.mkv
  pipelines/batch --preset worn-tape --encoder "x264enc pass=qual quantizer=18" film.mkv tape.mkv
  pipelines/batch --scheduler tls://render:8786 /net/film.mkv /net/tape.mkv

OUT ends in .mkv, .webm, .mp4, .m4v or .mov. Segments are in the folder OUT.batch until the film is complete.
With other machines, IN and OUT must have the same path on each of them. docs/batch.md describes everything.
"""


@dataclass(frozen=True)
class Options:
    """Options of the command line."""

    source: Path
    output: Path
    filter: str
    encoder: str
    muxer: str
    segment: int | None
    lead_in: int
    workers: int | None
    scheduler: str | None
    ssh_hosts: list[str]
    has_audio: bool
    # Launch fragments of the filter and the encoder of the sound. None if the audio is copied.
    sound: tuple[str, str] | None
    verify: str
    resume: bool
    restart: bool
    overwrite: bool
    dry_run: bool
    keep: bool
    ignore_disk: bool
    ignore_time: bool

    @property
    def is_local(self) -> bool:
        """Whether the film is rendered only on this machine."""
        return not (self.scheduler or self.ssh_hosts)

    @property
    def is_division_chosen(self) -> bool:
        """Whether the program measures its speed to decide between one pass and segments."""
        return self.is_local and self.segment is None and self.workers is None

    @property
    def folder(self) -> Path:
        """The folder of the segments and of the manifest."""
        return self.output.with_name(self.output.name + ".batch")


def _duration(text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number from 1 to 1024')
    return int(text)


class _Parser(argparse.ArgumentParser):
    """A parser whose error message explains how to give names of files that begin with a hyphen."""

    def parse_args(self, arguments: list[str]) -> argparse.Namespace:
        self._given = arguments
        return super().parse_args(arguments)

    def error(self, message: str) -> NoReturn:
        for name in self._given:
            if name.startswith("-") and (Path(name).suffix.lower() in fragments.MUXERS or Path(name).is_file()):
                message = f"{name} begins with a hyphen, as an option does; write ./{name} for a file"
        super().error(message)


def _parser() -> _Parser:
    parser = _Parser(
        prog="pipelines/batch", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=_EXAMPLES,
        description="Renders a video file: a short one in one pass, a long one in segments on all processors of this "
                    "machine or on many machines.")
    add = parser.add_argument
    add("source", metavar="IN", type=Path)
    add("output", metavar="OUT", type=Path)
    add("--preset", metavar="NAME", help="preset of ntscfilter, such as worn-tape")
    add("--property", metavar="KEY=VALUE", action="append", default=[],
        help="property of ntscfilter, beside those of the default filter; may be repeated")
    add("--filter", metavar="FRAGMENT", help="launch fragment in place of ntscfilter, frame by frame")
    add("--lead-in", metavar="TIME", type=_duration, default=0,
        help="renders this much more before and after each segment, for filters that depend on other frames")
    add("--encoder", metavar="FRAGMENT", help="encoder; the default is x264enc with constant quality")
    audio = parser.add_mutually_exclusive_group()
    audio.add_argument("--no-audio", action="store_true", help="leaves out the audio of IN")
    audio.add_argument("--sound", action="store_true",
                       help="renders the audio with tapeaudio, with the preset and the properties of the picture")
    audio.add_argument("--sound-filter", metavar="FRAGMENT", help="renders the audio with this launch fragment")
    add("--sound-encoder", metavar="FRAGMENT",
        help="encoder of rendered audio; the default is flacenc in .mkv, vorbisenc in .webm and avenc_aac in .mp4")
    add("--segment", metavar="TIME", type=_duration,
        help="length of a segment; default 10s to 30s, less for a short film")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", metavar="N", type=_count, help="local workers; default one for each processor")
    where.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tls://render:8786")
    where.add_argument("--ssh-hosts", metavar="A,B", help="hosts on which SSH starts a worker")
    add("--insecure", action="store_true",
        help="uses a scheduler without TLS: anyone who reaches it can run programs on its machines and on this one")
    add("--resume", action="store_true", help="continues after an interruption")
    add("--restart", action="store_true", help="discards the segments of an earlier run")
    add("--overwrite", "--force", action="store_true", help="replaces OUT if it exists")
    add("--verify", choices=("decode", "film", "packets"), default="decode",
        help="decode each segment after it was encoded, and its first frames in the film (default); decode the whole "
             "film too; or only compare packets")
    add("--ignore-disk", action="store_true", help="starts even if the disk seems too small")
    add("--ignore-time", action="store_true",
        help="does not compare the time of modification of IN, but only its size, its first and its last megabyte")
    add("--keep", action="store_true", help="keeps the folder OUT.batch")
    add("--dry-run", action="store_true", help="examines everything, prints the plan, and renders nothing")
    return parser


def _is_protected(scheduler: str) -> bool:
    """Whether the scheduler uses TLS, or its address is a loopback address."""
    protocol, _, rest = scheduler.rpartition("://")
    try:
        host = urlsplit(f"//{rest}").hostname or ""
        return protocol == "tls" or host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_options(arguments: list[str]) -> Options:
    """Parses the arguments. Exits with a message for wrong syntax. Raises Refusal for wrong values."""
    parser = _parser()
    if not arguments:
        parser.print_help()
        raise SystemExit(0)
    given = parser.parse_args(arguments)
    source, output = given.source.absolute(), given.output.absolute()
    muxer = fragments.MUXERS.get(output.suffix.lower())
    if output.is_symlink():
        # The film replaces the target of a link, so OUT.batch is in the folder of the target.
        output = Path(os.path.realpath(output))
    for path in (source, output):
        if not is_plain(str(path)):
            raise Refusal(
                f'The name "{shown(str(path))}" is not UTF-8, or ends in a backslash; rename the file or folder.')
    if muxer is None:
        raise Refusal(f"{given.output} must end in {', '.join(sorted(fragments.MUXERS))}.")
    if source.is_dir():
        raise Refusal(f"{given.source} is a folder; name a file in it.")
    if not source.is_file():
        raise Refusal(f"There is no file {given.source}.")
    if source.stat().st_size == 0:
        raise Refusal(f"{given.source} is empty.")
    if not output.parent.is_dir():
        raise Refusal(f"There is no folder {output.parent}.")
    if given.segment is not None and given.segment < SECOND // 10:
        raise Refusal("--segment is shorter than 100ms.")
    if given.ssh_hosts is not None and not given.ssh_hosts.replace(",", " ").strip():
        raise Refusal("--ssh-hosts names no host; separate several by commas, as in --ssh-hosts anna,bert.")
    if given.scheduler is not None and not given.scheduler.strip():
        raise Refusal("--scheduler has no address; it is one such as tls://render:8786.")
    if given.scheduler is not None and not given.insecure and not _is_protected(given.scheduler.strip()):
        raise Refusal(
            f"{given.scheduler} is not encrypted: anyone who reaches that scheduler, or the network on the way, can "
            "run programs on its machines and on this one. Use tls://, for which docs/batch.md makes keys; or "
            "--insecure, if you trust everyone in the network.")
    if given.resume and given.restart:
        raise Refusal("--resume continues an earlier run, and --restart discards it; give one of them.")
    if given.sound and given.filter is not None:
        raise Refusal("--sound has the settings of ntscfilter, which --filter replaces; use --sound-filter instead.")
    if given.sound_encoder is not None and not (given.sound or given.sound_filter is not None):
        raise Refusal("--sound-encoder has no effect on audio that is copied; add --sound or --sound-filter.")
    sound = None
    try:
        filter_ = fragments.filter_text(given.filter, given.preset, given.property)
        if given.sound or given.sound_filter is not None:
            sound = (fragments.sound_text(given.sound_filter, given.preset, given.property),
                     given.sound_encoder or fragments.default_sound_encoder(given.output))
    except ValueError as error:
        raise Refusal(f"{error}.") from error
    try:
        check(given.output, [given.source], given.overwrite or given.dry_run)
    except Mistake as mistake:
        raise Refusal(str(mistake)) from mistake
    hosts = [host.strip() for host in (given.ssh_hosts or "").split(",") if host.strip()]
    return Options(
        source, output, filter_, given.encoder or fragments.default_encoder(given.output), muxer, given.segment,
        given.lead_in, given.workers, given.scheduler, hosts, not given.no_audio, sound, given.verify, given.resume,
        given.restart, given.overwrite or output.exists(), given.dry_run, given.keep, given.ignore_disk,
        given.ignore_time)
