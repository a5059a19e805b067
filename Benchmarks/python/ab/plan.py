"""Reads a plan: pipelines with switches, and what is claimed about each switch."""
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from evidence import Looks
from metrics import METRICS


class PlanError(Exception):
    """The plan is wrong; the text says where."""


@dataclass(frozen=True)
class Claim:
    """A claimed change of a metric: relative to 1, or as a difference in its unit."""

    metric: str
    text: str
    ratio: float | None = None
    difference: float | None = None
    # The claim is about amounts, such as ms, which depend on the size of the pictures.
    is_absolute: bool = False


@dataclass(frozen=True)
class Row:
    """Two sides that are compared; a side is a set of switches."""

    name: str
    title: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    workload: str
    claims: tuple[Claim, ...] = ()
    # Metrics that decide when the row is finished. Their verdicts share most of the permitted error.
    primary: tuple[str, ...] = ("cpu-frame",)
    is_noise: bool = False

    @property
    def main_metrics(self) -> tuple[str, ...]:
        """Metrics of the row: its primary ones and those of its claims."""
        return tuple(dict.fromkeys((*self.primary, *(claim.metric for claim in self.claims))))


@dataclass(frozen=True)
class Form:
    """An extent of the plan: its rows, and the time for them."""

    name: str
    minutes: float
    rows: tuple[str, ...]
    settings: dict

    @property
    def looks(self) -> Looks:
        """The numbers of pairs after which a row is examined."""
        data = self.settings.get("looks")
        return Looks(tuple(data["pairs"]), tuple(data["shares"])) if data else Looks()


class Plan:
    """A plan that was read."""

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
        self.not_measurable: dict = self.data.get("not-measurable", {})

    @property
    def measured(self) -> tuple[str, ...]:
        """The switches of the row `all`."""
        return tuple(name for name, switch in self.switches.items() if not switch.get("alone"))

    def form(self, name: str) -> Form:
        if name not in self.data["forms"]:
            raise PlanError(f"There is no form {name!r}; the forms are {', '.join(self.data['forms'])}.")
        data = self.data["forms"][name]
        rows = tuple(data["rows"])
        return Form(name, float(data["minutes"]), rows, data)

    def rows(self, form: Form, workload: str, plain: str = "") -> list[Row]:
        """The rows of a form, the one that measures the noise first; `plain` is the workload without a filter."""
        return [self._row(name, workload, plain) for name in form.rows]

    def _row(self, name: str, workload: str, plain: str) -> Row:
        kind, _, rest = name.partition(":")
        if kind == "noise":
            primary = tuple(self.data.get("noise", {}).get("primary", ("cpu-frame", "age-p95")))
            return Row(name, "A/A: everything off, twice", (), (), workload, primary=primary, is_noise=True)
        if kind == "all":
            data = self.data["all"]
            primary = tuple(data.get("primary", ("cpu-frame", "age-p95")))
            place = {"": workload, "plain": plain or workload}.get(rest, rest)
            claims = self._claims(data, "all") if not rest else ()
            return Row(name, "all" + (f", {self.workloads[place]['title']}" if rest else ""), (), self.measured,
                       self._known(place), claims, primary)
        without = kind == "last"
        switch = rest if without else name
        if switch not in self.switches:
            raise PlanError(f"The row {name!r} names no switch; the switches are {', '.join(self.switches)}.")
        data = self.switches[switch]
        primary = tuple(data.get("primary", ("cpu-frame", "age-p95")))
        # A row of its own may be about another workload.
        if without:
            primary = ("cpu-frame", "age-p95")
            before = tuple(other for other in self.measured if other != switch)
            return Row(name, f"all but {switch} → all", before, self.measured, workload, (), primary)
        place = self._known(data.get("workload", workload))
        return Row(name, data["title"], tuple(data.get("before", ())), (*data.get("before", ()), switch), place,
                   self._claims(data, switch), primary)

    def is_comparable(self, claim: Claim, workload: str) -> bool:
        """Whether a claim is about pictures of the size of a workload; relative ones are about any."""
        size = self.data.get("claims-size")
        values = self.workloads[workload].get("values", {})
        return not claim.is_absolute or size is None or [values.get("width"), values.get("height")] == size

    def _known(self, workload: str) -> str:
        if workload not in self.workloads:
            raise PlanError(f"There is no workload {workload!r}; there are {', '.join(self.workloads)}.")
        return workload

    def _claims(self, data: dict, where: str) -> tuple[Claim, ...]:
        found = []
        for claim in data.get("claims", ()):
            if claim.get("metric") not in METRICS:
                raise PlanError(f"A claim of {where!r} is about {claim.get('metric')!r}; "
                                f"the metrics are {', '.join(METRICS)}.")
            if ("ratio" in claim) == ("difference" in claim):
                raise PlanError(f"A claim of {where!r} about {claim['metric']} has either a ratio or a difference.")
            found.append(Claim(claim["metric"], claim["text"], claim.get("ratio"), claim.get("difference"),
                               claim.get("absolute", "difference" in claim)))
        return tuple(found)
