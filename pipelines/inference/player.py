"""Runs one model in a pipeline, follows its tiers, and unloads the model while memory is short or the battery low."""

from __future__ import annotations

import os
import signal
import sys
import time
from fractions import Fraction

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

import battery  # noqa: E402
import figures  # noqa: E402
import machine  # noqa: E402
import memory_state  # noqa: E402
import overlay  # noqa: E402
import pipeline  # noqa: E402
import sources  # noqa: E402
import targets  # noqa: E402
from element import InferenceElement, Inferences  # noqa: E402
from model_host import ModelHost, resident_memory  # noqa: E402
from models import KINDS, Picture  # noqa: E402
from settings import Settings  # noqa: E402

CHECK_INTERVAL_MS = 500
LOG_INTERVAL_MS = 1000


class Player:
    def __init__(self, settings: Settings) -> None:
        self.settings, self.loop, self.status = settings, GLib.MainLoop(), 0
        self.row = targets.read(settings.targets, settings.model)
        self.is_sound = KINDS[settings.model].is_sound
        self.tier, self.level, self.alerts = 0, "unknown", {}
        self.log = figures.Log(settings.log)
        self.guard = memory_state.MemoryGuard(rest=settings.rest)
        self.memory = memory_state.MemoryState.UNKNOWN
        self.battery_guard, self.battery, self.text = battery.BatteryGuard(), None, ""
        self.battery_limit = battery.BatteryLimit(self.row.battery)
        self.inferences = Inferences(self.row.seconds("p95"))
        self.host = ModelHost(settings.used_kind, self._sample(), self._announce_later, self._fail_later)
        self.feeder: sources.Feeder | None = None
        self.pipeline, self.monitor = self._build()
        self._connect()

    # Construction

    def _sample(self) -> Picture:
        """A black picture, or silence, for the first run of the model."""
        if self.is_sound:
            return Picture(bytes(sources.SAMPLE_RATE * 2), sources.WINDOW_WIDTH, sources.WINDOW_HEIGHT)
        return Picture(bytes(sources.WIDTH * sources.HEIGHT * 3), sources.WIDTH, sources.HEIGHT)

    def _build(self) -> tuple[Gst.Pipeline, Gst.Element]:
        settings, rate = self.settings, self.row.rates[0]
        is_file = settings.source in ("clip", "live")
        has_pages = settings.source == "test" and settings.model.startswith("text")
        if self.is_sound:
            source = pipeline.sound_source(rate)
        else:
            live = {"test": "identity name=pages" if has_pages else "videotestsrc is-live=true pattern=ball",
                    "camera": settings.camera or "v4l2src"}
            source = pipeline.video_source(None if is_file else live[settings.source], rate)
        built = Gst.parse_launch(
            pipeline.before_model(source, self.row, self.is_sound, settings.times, str(settings.root),
                                  has_screen=settings.screen is not None)
            + " " + pipeline.after_model(settings.screen))
        # A frame reaches the sink an inference late. A display would drop such frames, and show hardly any.
        sinks = built.iterate_sinks()
        while (found := sinks.next())[0] == Gst.IteratorResult.OK:
            if found[1].find_property("sync"):
                found[1].set_property("sync", False)
        if has_pages:
            from pages import PageSource

            pages = PageSource()
            built.add(pages)
            pages.link(built.get_by_name("pages"))
        model = InferenceElement(
            self.row.name, self.host, self.inferences, lambda rate: self.row.is_off(self.row.tier(rate)),
            overlay.drawing_on(built.get_by_name("drawing")))
        monitor = Gst.ElementFactory.make("perfmonitor", "monitor")
        for element in (model, monitor):
            built.add(element)
        built.get_by_name("end").link(model)
        model.link(built.get_by_name("results"))
        Gst.util_set_object_arg(monitor, "act", "vote")
        if settings.dashboard:
            monitor.set_property("dashboard", settings.dashboard)
        self.monitor = monitor
        self.memory_limit = resident_memory() + self.row.memory if self.row.memory else None
        self.targets = self._targets()
        monitor.set_property("targets", self.targets)
        return built, monitor

    def _connect(self) -> None:
        settings = self.settings
        source = self.pipeline.get_by_name("source")
        if source is not None:
            kind = "audio" if self.is_sound else "video"
            first = {"test": "audiotestsrc is-live=true wave=ticks", "camera": settings.camera or "autoaudiosrc"}.get(
                settings.source) or sources.decoder(str(settings.file), kind)
            line = sources.sound_line(first) if self.is_sound else sources.video_line(first)
            content = ("sound" if self.is_sound else "picture", settings.file if settings.source in ("clip", "live")
                       else None)
            self.feeder = sources.Feeder(
                line, source, lambda error: self._fail(sources.describe(error, *content)),
                loops=settings.source == "live",
                windows=float(self.row.rates[0]) if self.is_sound else 0)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self._on_message)

    def _targets(self, is_loaded: bool = True) -> str:
        return self.row.text(
            self.tier if is_loaded else None, self.settings.window, self.memory_limit, self._most_watts())

    def _most_watts(self) -> float | None:
        """Limit of the power: the lower one of target and battery. None if power is not measured."""
        if figures.power(self.monitor)["power"] is None:
            return None
        return min(filter(None, (self.row.energy, self.battery_limit.watts(self.battery))), default=None)

    def _follow_targets(self) -> None:
        """Sets the limits of the current tier in perfmonitor. Without a loaded model, sets only the memory limit.

        With the limit of the full rate, perfmonitor would never clear its alert about the rate in a lower tier.
        """
        text = self._targets(self.host.state == "loaded")
        if text != self.targets:
            self.targets = text
            self.monitor.set_property("targets", text)

    # Messages

    def _on_message(self, _bus: Gst.Bus, message: Gst.Message) -> None:
        kind = message.type
        if kind == Gst.MessageType.ERROR:
            self._fail(f"{message.src.get_name()}: {message.parse_error()[0].message}")
        elif kind == Gst.MessageType.WARNING:
            self._say(f"{message.src.get_name()}: {message.parse_warning()[0].message}")
        elif kind == Gst.MessageType.EOS:
            self.loop.quit()
        elif kind == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        elif kind == Gst.MessageType.ELEMENT:
            structure = message.get_structure()
            if structure.get_name() == "performance-alert":
                self._on_alert(structure)
            elif structure.get_name() == "thermal-level-changed":
                self._on_tier(structure)
            elif structure.get_name() == "inference":
                self._on_result(structure)

    def _on_alert(self, alert: Gst.Structure) -> None:
        change, severity, metric = (alert.get_string(name) for name in ("change", "severity", "metric"))
        element = alert.get_string("element")
        key = f"{element} {metric}"
        if change == "cleared":
            self.alerts.pop(key, None)
        else:
            self.alerts[key] = severity
        self._say(f"alert {change}: {severity}, {alert.get_string('text')}")
        self.log.write(event="alert", change=change, severity=severity, metric=metric, element=element)

    def _on_result(self, result: Gst.Structure) -> None:
        """Prints a text that differs from the one before."""
        text = " | ".join(filter(None, (result.get_string("text") or "").split("\n")))
        if self.settings.screen and text != self.text:
            self.text = text
            self._say(f"text: {text}")

    def _on_tier(self, message: Gst.Structure) -> None:
        self.level = message.get_string("level")
        # A machine that is hot at the start is reported before the first frame, without caps.
        if not message.has_field("caps"):
            return
        known, numerator, denominator = message.get_value("caps").get_structure(0).get_fraction("framerate")
        if not known or not numerator:
            return
        tier = self.row.tier(Fraction(numerator, denominator))
        if tier == self.tier:
            return
        self.tier = tier
        self._follow_targets()
        reasons = self.pipeline.get_by_name("ladder").get_property("limitation-reasons")
        rate = self.row.rates[tier]
        self._say(f"tier {tier}: {'off' if rate is None else f'{rate}/s'}{f' ({reasons})' if reasons else ''}")
        self.log.write(event="tier", tier=tier, rate=self._rate())

    def _rate(self) -> float:
        return float(self.row.rates[self.tier] or 0)

    # Timers

    def _check_machine(self) -> bool:
        self.memory, self.battery = memory_state.read(self.settings.root), battery.read(self.settings.root)
        now = time.monotonic()
        has_charge = self.battery_guard.update(self.battery, now) or KINDS[self.settings.model].is_critical
        reasons = [reason for reason, is_true in (
            ("memory is short", not self.guard.update(self.memory, now)), ("the battery is low", not has_charge),
            ("tier off", self.row.is_off(self.tier))) if is_true]
        self.host.want(not reasons, " and ".join(reasons))
        self._follow_targets()
        return True

    def _log_second(self) -> bool:
        self.log.write(
            tier=self.tier, target=self._rate(), model=self.host.state, memory_state=self.memory.value,
            level=self.level, alerts=dict(self.alerts), memory=resident_memory(),
            battery=self.battery and self.battery.charge, **self.inferences.read(),
            **figures.read(self.monitor, self.row.name))
        return True

    # Output. The functions with `later` may run on any thread.

    def _say(self, text: str) -> None:
        try:
            print(text, flush=True)
        except OSError:
            # The output is closed, for example after `| head`. Discard later lines.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
            GLib.idle_add(self._stop)

    def _announce_later(self, text: str) -> None:
        GLib.idle_add(self._announce, text)

    def _announce(self, text: str) -> bool:
        self._say(text)
        self.log.write(event="model", text=text)
        return False

    def _fail_later(self, text: str) -> None:
        GLib.idle_add(self._fail, text)

    def _fail(self, text: str) -> bool:
        print(text, file=sys.stderr, flush=True)
        self.status = 1
        self.loop.quit()
        return False

    # Running

    def _stop(self) -> bool:
        self.pipeline.send_event(Gst.Event.new_eos())
        return False

    def _interrupted(self, number: int, _: object) -> None:
        # A second signal kills the program. PyGObject 3.58 warns of GLib.unix_signal_add, and 3.50 has no other name.
        signal.signal(number, signal.SIG_DFL)
        GLib.idle_add(self._stop, priority=GLib.PRIORITY_HIGH)

    def run(self) -> int:
        kind = self.settings.used_kind
        self._say(f"{self.row.name}: {kind.description}")
        self.log.write(
            event="start", row=self.row.name, model=kind.description, is_real=kind.is_real,
            memory_base=resident_memory(), memory_target=self.row.memory, p95_target=self.row.seconds("p95"),
            rates=[float(rate or 0) for rate in self.row.rates], machine=machine.describe(),
            energy_target=self.row.energy, battery_target=self.row.battery)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._interrupted)
        self._check_machine()
        # The element drops frames until the model is loaded, so wait for it.
        self.host.wait()
        self.pipeline.set_state(Gst.State.PLAYING)
        if self.feeder is not None:
            self.feeder.start()
        if self.settings.dashboard:
            self._say(f"Figures: {self.monitor.get_property('dashboard-url')}")
        GLib.timeout_add(CHECK_INTERVAL_MS, self._check_machine)
        GLib.timeout_add(LOG_INTERVAL_MS, self._log_second)
        if self.settings.seconds:
            GLib.timeout_add(round(self.settings.seconds * 1000), self._stop)
        self.loop.run()
        return self._end()

    def _end(self) -> int:
        self._log_second()
        self.log.write(event="end", load_times=self.host.load_times, battery_percent=self.battery_guard.percent,
                       **figures.read_total(self.monitor, self.row.name), **figures.power(self.monitor))
        if self.feeder is not None:
            self.feeder.stop()
        self.pipeline.set_state(Gst.State.NULL)
        self.host.end()
        counts = self.inferences.read()
        total = counts["inferences"]
        self._say(f"{total} inferences, {counts['found']} with a result, " + (
            f"{counts['within'] / total:.1%} within {self.inferences.limit * 1000:g} ms" if total else "none in time"))
        self.log.close(self.status == 0)
        return self.status
