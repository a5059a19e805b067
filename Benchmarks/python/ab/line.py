"""Expands the launch line of a plan for a set of switches."""
from plan import Plan, PlanError


def launch_line(plan: Plan, workload: str, switches: tuple[str, ...], values: dict[str, object],
                pipeline: list[str] | None = None) -> str:
    """The line with the elements of these switches, and with `values` for its other names in braces."""
    settings = {**plan.data.get("values", {}), **plan.workloads[workload].get("values", {}), **values}
    line = " ".join(pipeline or plan.workloads[workload].get("pipeline") or plan.data["pipeline"])
    for slot, choices in plan.data["slots"].items():
        line = line.replace("{" + slot + "}", choice(slot, choices, switches))
    # Slots may contain values, and values other values.
    for _ in range(3):
        for name, value in settings.items():
            line = line.replace("{" + name + "}", str(value))
    if "{" in line:
        raise PlanError(f"The line of {workload} has a name without a value: {line[line.index('{'):][:40]}")
    return " ".join(line.split())


def choice(slot: str, choices: list[dict], switches: tuple[str, ...]) -> str:
    """The elements of the first choice all of whose switches are on."""
    for entry in choices:
        if set(entry.get("with", ())) <= set(switches):
            return entry["elements"]
    raise PlanError(f"The slot {slot} has no choice without switches.")
