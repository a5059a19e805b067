"""The scenarios of `check`. Scenarios of Sendspin's conformance suite keep their names."""

import dataclasses

from .judge import Limits

TITLE = "Żółw & Ünïcode"


@dataclasses.dataclass
class Scenario:
    name: str
    server: str = ""
    codecs: str = "flac"
    source: str = ""
    """Additional properties of sendspinsrc."""
    seconds: float = 10
    players: int = 1
    listens: bool = False
    """The server connects to the player."""
    limits: Limits = dataclasses.field(default_factory=Limits)
    actions: tuple[str, ...] = ()
    """For the program `player`: AT:ELEMENT:SIGNAL[:ARGUMENT]."""
    after: str = ""
    """Element message at which the times of the actions begin."""
    commands: tuple[str, ...] = ()
    """Commands that the server must report, in this order."""
    messages: tuple[str, ...] = ()
    """Texts that the output of the player must contain."""
    hogs: bool = False
    """Busy loops on every core from 3 s to 6 s."""
    pairs: bool = False
    """The server receives the pairing token of the player. It serves no other client."""
    code: str = ""
    """Format of the code by which the server pairs: digits or qr_code. It serves no other client."""
    silent: bool = False
    """The server does not play. The player must post the reason."""
    changes_codec: bool = False
    """The codec changes. Only `sendspinplay` replaces its decoder, so other lines skip the scenario."""


CLICKS = Limits(signal="clicks", p99_us=150, max_us=300)

AUDIO = [
    Scenario("client-initiated-pcm", "--format pcm16", "pcm"),
    Scenario("client-initiated-pcm-24bit", "--format pcm24", "pcm"),
    Scenario("client-initiated-flac", "--format flac"),
    Scenario("client-initiated-flac-24bit", "--format flac24"),
    Scenario("client-initiated-opus", "--format opus --signal clicks", "opus,pcm", limits=CLICKS),
    Scenario("server-initiated-pcm", "--format pcm16", "pcm", listens=True),
    Scenario("server-initiated-pcm-24bit", "--format pcm24", "pcm", listens=True),
    Scenario("server-initiated-flac", "--format flac", listens=True),
    Scenario("server-initiated-opus", "--format opus --signal clicks", "opus,pcm", listens=True, limits=CLICKS),
    Scenario("client-initiated-legacy-unencrypted", "--legacy", source="allow-unencrypted=true"),
    Scenario("server-initiated-legacy-unencrypted", "--legacy", source="allow-unencrypted=true", listens=True),
    Scenario("two players", players=2, seconds=15),
]

TIMELINE = [
    Scenario("seeks", "--seeks 3 --seconds 20", seconds=22),
    Scenario("seeks in pcm", "--seeks 3 --seconds 20 --format pcm16", "pcm", seconds=22),
    Scenario("renegotiation of the format", "--format-changes 6 --seconds 20", "flac,pcm", seconds=22,
             changes_codec=True),
    Scenario("renegotiation in pcm", "--format-changes 3 --seconds 16", "pcm", seconds=18),
    Scenario("renegotiation in flac", "--format-changes 3 --seconds 16", "flac", seconds=18),
    Scenario("renegotiation of the rate", "--format-changes 3 --change-rates --signal clicks --seconds 16", "pcm",
             seconds=18, limits=CLICKS),
    Scenario("jump to another track", "--tracks 2 --seconds 16", seconds=18),
    Scenario("pause and resume", "--pauses 1 --seconds 16", seconds=18),
    Scenario("volume and mute", "--volume 1", messages=('"mute": true', '"mute": false', '"volume": 50'),
             limits=Limits(scales=True)),
]

DISTURBANCES = [
    Scenario("jitter of 80 ms", "--jitter 80", seconds=15, limits=Limits(p99_us=200)),
    # If both directions are delayed, the clock is known only to half of the least round trip, a quarter of the jitter
    # in the first seconds. Each better round trip moves the clock, and a move of a millisecond is a splice.
    Scenario("jitter of 80 ms in all data", "--jitter 80 --jitter-share 1", seconds=15,
             limits=Limits(p99_us=20_000, max_us=20_000, splices=200)),
    Scenario("stall of 1 s", "--stall 4:1", seconds=14),
    Scenario("stall of 8 s", "--stall 4:8", seconds=22),
    Scenario("connection lost for 3 s", "--drop 4:3", seconds=18),
    Scenario("clock steps by 50 ms", "--clock-step 5:50", seconds=18),
    Scenario("clock steps by -2 s", "--clock-step 5:-2000", seconds=20),
    Scenario("busy machine", hogs=True, seconds=14),
]

CONTROL = [
    Scenario("server-initiated-metadata", "--metadata", listens=True,
             messages=(TITLE, "An Artist", "An Album"), seconds=6),
    Scenario("server-initiated-artwork", "--metadata --artwork", listens=True, messages=('"image": ',), seconds=6),
    Scenario("server-initiated-controller", "--controller --metadata", listens=True, seconds=16, after="sendspin-controller",
             actions=("2:src:pause", "4:src:play", "7:src:next", "10:src:previous"),
             commands=("Pause", "Play", "Next", "Previous"), messages=("sendspin-controller",)),
]

LIGHTS = [
    # 0x0aa05a is the primary colour of the second palette.
    Scenario("color and visualizer", "--color", source="color=true visualizer=loudness,f_peak,peak,spectrum",
             messages=("sendspin-color", '"primary": 13114940', '"primary": 696410', "sendspin-visualizer",
                       '"loudness": ', '"frequency": ')),
]

PAIRING = [
    Scenario("pairing by the pairing PSK", "--unapproved --format flac", pairs=True),
    Scenario("pairing by a code of digits", "--unapproved --format flac", source="pairing-code=digits", code="digits"),
    Scenario("pairing by a QR code", "--unapproved --format flac", source="pairing-code=qr-code", code="qr_code"),
]

REFUSALS = [
    Scenario("server without approval", "--unapproved", seconds=6, silent=True),
]

GROUPS = {"audio": AUDIO, "lights": LIGHTS, "timeline": TIMELINE, "disturbances": DISTURBANCES, "control": CONTROL,
          "pairing": PAIRING, "refusals": REFUSALS}
