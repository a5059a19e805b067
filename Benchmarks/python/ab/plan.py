"""A plan: pipelines with switches, the metrics of their runs, and the claimed gain of each switch."""
import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path

# Metrics that decide when a row is finished, unless the plan names others.
PRIMARY = ("cpu-frame", "age-p95")


class PlanError(Exception):
    """The plan has a mistake, which the text of the exception names."""


@dataclass(frozen=True)
class Metric:
    """A figure of a run, and how the figures of two runs are compared."""

    name: str
    title: str
    unit: str
    is_ratio: bool = True  # Whether pairs are compared by ratio. Figures that can be 0 are compared by difference.
    lower_is_better: bool = True
    margin: float = 0.02  # Largest change that counts as equivalent: a fraction for a ratio, otherwise in the unit.
    digits: int = 1
    is_mean: bool = False  # Whether the change is the mean, not the median, which is 0 if most pairs are equal.
    is_saved_by_losses: bool = False  # Whether lost frames reduce the figure, so that a reduction may be no gain.
    ceiling: float | None = None  # Largest value that a run can measure. The true value may be larger.

    def scaled(self, effect: float) -> float:
        """Converts an effect to the scale of the statistics: the logarithm of a ratio, or a difference as it is."""
        return math.log(effect) if self.is_ratio else effect

    @property
    def scaled_margin(self) -> float:
        """The margin on the scale of the statistics. For a ratio, the logarithm of 1 + `margin`."""
        return self.scaled(1 + self.margin) if self.is_ratio else self.margin


METRICS = {metric.name: metric for metric in (
    Metric("cpu-frame", "CPU for each frame received", "ms", digits=2),
    Metric("cpu", "CPU, mean", "cores", digits=3, is_saved_by_losses=True),
    Metric("cpu-peak", "CPU, peak of 0.5 s", "cores", digits=2, is_saved_by_losses=True),
    Metric("drops", "frames lost", "%", is_ratio=False, margin=0.2, digits=2, is_mean=True),
    Metric("packets", "packets lost on the loopback", "%", is_ratio=False, margin=0.2, digits=2, is_mean=True),
    Metric("age-p50", "end-to-end P50", "ms"),
    Metric("age-p95", "end-to-end P95", "ms"),
    Metric("age-p99", "end-to-end P99", "ms"),
    Metric("coverage", "frames whose age perfmonitor knows", "%", is_ratio=False, lower_is_better=False, margin=1,
           is_mean=True),
    Metric("allocations", "requests for memory", "1/s", digits=0, is_saved_by_losses=True),
    Metric("acquire", "slowest acquire of the source, after the warm-up", "ms", digits=3),
    Metric("acquire-start", "slowest acquire of the source, in the warm-up", "ms", digits=3),
    Metric("memory", "peak memory", "MB", is_saved_by_losses=True),
    Metric("switches", "context switches", "1/s", digits=0, is_saved_by_losses=True),
    Metric("frames", "frames encoded", "1/s", lower_is_better=False),
    Metric("bitrate", "output of the encoder", "Mbit/s", lower_is_better=False, digits=2),
    Metric("heat", "time until the limit of heat, SIMULATED", "min", lower_is_better=False, ceiling=60),
)}


@dataclass(frozen=True)
class Looks:
    """The numbers of pairs after which a row is examined, and the share of the permitted error for each examination."""

    pairs: tuple[int, ...] = (20, 30, 44)
    shares: tuple[float, ...] = (0.5, 0.25, 0.25)

    def __post_init__(self):
        if len(self.pairs) != len(self.shares) or abs(sum(self.shares) - 1) > 1e-9:
            raise ValueError(f"looks {self.pairs} need as many shares with the sum 1, not {self.shares}")

    def reached(self, pairs: int) -> int:
        """The last look with at most `pairs` pairs. Before the first look, returns `pairs`."""
        return max((look for look in self.pairs if look <= pairs), default=pairs)

    def share(self, pairs: int) -> float:
        """The share of the permitted error for the look at `pairs` pairs; 0 if there is no such look."""
        return dict(zip(self.pairs, self.shares)).get(pairs, 0.0)


@dataclass(frozen=True)
class Claim:
    """A claimed change of a metric, either as a ratio or as a difference in its unit."""

    metric: str
    text: str
    ratio: float | None = None
    difference: float | None = None
    is_absolute: bool = False  # Whether the claim is about an amount, such as ms, that depends on the picture size.


@dataclass(frozen=True)
class Row:
    """A comparison of two sides. A side is a set of switches that are on."""

    name: str
    title: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    workload: str
    claims: tuple[Claim, ...] = ()
    primary: tuple[str, ...] = PRIMARY  # Metrics that decide when the row is finished.
    is_noise: bool = False

    @property
    def main_metrics(self) -> tuple[str, ...]:
        """The primary metrics, and the metrics of the claims."""
        return tuple(dict.fromkeys((*self.primary, *(claim.metric for claim in self.claims))))

    @property
    def is_heated(self) -> bool:
        """Whether the runs end when the simulated machine is hot."""
        return "heat" in self.primary


@dataclass(frozen=True)
class Form:
    """A variant of the plan, such as a short one: its rows, the time for them, and other settings."""

    name: str
    minutes: float
    rows: tuple[str, ...]
    looks: Looks
    settings: dict


class Plan:
    """A plan, read from a file."""

    def __init__(self, path: Path):
        try:
            text = path.read_bytes()
            self.data = json.loads(text)
        except (OSError, ValueError) as error:
            raise PlanError(f"{path} cannot be read as a plan: {error}") from error
        self.path, self.digest = path, hashlib.sha256(text).hexdigest()[:12]
        for member in ("name", "pipeline", "slots", "switches", "workloads", "forms"):
            if member not in self.data:
                raise PlanError(f"{path} has no member {member!r}.")
        if "horizon" in self.data.get("heat-model", {}):
            raise PlanError(f"{path}: the horizon of the heat model is {METRICS['heat'].ceiling} min, and no setting.")
        self.name: str = self.data["name"]
        self.switches: dict = self.data["switches"]
        self.workloads: dict = self.data["workloads"]
        # Names of the switches that are on in the row `all`.
        self.measured = tuple(name for name, switch in self.switches.items() if not switch.get("alone"))

    def form(self, name: str) -> Form:
        _expect(name, self.data["forms"], f"There is no form {name!r}; the forms are")
        data = self.data["forms"][name]
        looks = {member: tuple(values) for member, values in data.get("looks", {}).items()}
        return Form(name, float(data["minutes"]), tuple(data["rows"]), Looks(**looks), data)

    def rows(self, form: Form, workload: str, plain: str = "") -> list[Row]:
        """The rows of a form. The first row measures the noise. `plain` is the workload of rows without a filter."""
        return [self._row(name, workload, plain or workload) for name in form.rows]

    def _row(self, name: str, workload: str, plain: str) -> Row:
        """Makes the row with the name `noise`, `all`, `all:WORKLOAD`, `last:SWITCH`, or the name of a switch."""
        kind, _, rest = name.partition(":")
        switch = rest or name
        if kind in ("noise", "all"):
            data = self.data.get(kind, {})
        else:
            _expect(switch, self.switches, f"The row {name!r} names no switch; the switches are")
            data = {} if rest else self.switches[switch]
        # A switch may have its own workload.
        place = {"": workload, "plain": plain}.get(rest, rest) if kind == "all" else data.get("workload", workload)
        _expect(place, self.workloads, f"There is no workload {place!r}; there are")
        title, before, after = {
            "noise": ("A/A: everything off, twice", (), ()),
            "all": (f"all, {self.workloads[place]['title']}" if rest else "all", (), self.measured),
            "last": (f"all but {switch} → all", tuple(one for one in self.measured if one != switch), self.measured),
        }.get(kind, (data.get("title"), (), (switch,)))
        return Row(name, title, before, after, place, () if rest else _claims(data, name),
                   tuple(data.get("primary", PRIMARY)), kind == "noise")

    def is_comparable(self, claim: Claim, workload: str) -> bool:
        """Whether a claim is about pictures of the size of a workload. A relative claim is about any size."""
        size = self.data.get("claims-size")
        values = self.workloads[workload].get("values", {})
        return not claim.is_absolute or size is None or [values.get("width"), values.get("height")] == size

    def launch_line(self, workload: str, switches: tuple[str, ...], values: dict[str, object],
                    member: str = "pipeline") -> str:
        """The launch line with the elements that `switches` select. `values` replace the other names in braces."""
        line = " ".join(self.data[member])
        for slot in self.data["slots"]:
            line = line.replace("{" + slot + "}", self.elements(slot, switches))
        settings = {**self.data.get("values", {}), **self.workloads[workload].get("values", {}), **values}
        # Replace three times, because slots may contain names of values, and values may contain names of other values.
        for _ in range(3):
            for name, value in settings.items():
                line = line.replace("{" + name + "}", str(value))
        if "{" in line:
            raise PlanError(f"The line of {workload} has a name without a value: {line[line.index('{'):][:40]}")
        return " ".join(line.split())

    def elements(self, slot: str, switches: tuple[str, ...]) -> str:
        """The elements of the first choice in a slot whose required switches are all on."""
        for choice in self.data["slots"][slot]:
            if set(choice.get("with", ())) <= set(switches):
                return choice["elements"]
        raise PlanError(f"The slot {slot} has no choice without switches.")


def _expect(name: str, names: dict, fault: str) -> None:
    if name not in names:
        raise PlanError(f"{fault} {', '.join(names)}.")


def _claims(data: dict, where: str) -> tuple[Claim, ...]:
    for claim in data.get("claims", ()):
        metric = claim.get("metric")
        _expect(metric, METRICS, f"A claim of {where!r} is about {metric!r}; the metrics are")
        if ("ratio" in claim) == ("difference" in claim):
            raise PlanError(f"A claim of {where!r} about {metric} has either a ratio or a difference.")
    return tuple(Claim(claim["metric"], claim["text"], claim.get("ratio"), claim.get("difference"),
                       claim.get("absolute", "difference" in claim)) for claim in data.get("claims", ()))
