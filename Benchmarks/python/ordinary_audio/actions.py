"""Actions on a pipeline while it plays."""
from gi.repository import GLib, Gst


class Actions:
    """Performs the actions of a row at their times."""

    def __init__(self, player, actions):
        self.player, self.actions = player, actions
        self.ends_at_segment = any(name == "seek" and arguments[1] & Gst.SeekFlags.SEGMENT
                                   for _, name, *arguments in actions)

    def prepare(self):
        """Performs the actions of time 0, before the pipeline starts."""
        for at, name, *arguments in self.actions:
            if not at:
                getattr(self, name)(*arguments)

    def begin(self):
        for at, name, *arguments in self.actions:
            if at:
                self.after(at, getattr(self, name), *arguments)

    @staticmethod
    def after(seconds, function, *arguments):
        def once():
            function(*arguments)
            return False
        GLib.timeout_add(round(seconds * 1000), once)

    def pause(self, seconds):
        pipeline = self.player.pipeline
        pipeline.set_state(Gst.State.PAUSED)
        self.after(seconds, pipeline.set_state, Gst.State.PLAYING)

    def restart(self, state):
        pipeline = self.player.pipeline
        pipeline.set_state(getattr(Gst.State, state))
        pipeline.set_state(Gst.State.PLAYING)

    def seek(self, rate, flags, start, stop):
        kinds = Gst.SeekType.SET, Gst.SeekType.SET if stop else Gst.SeekType.NONE
        is_done = self.player.pipeline.seek(rate, Gst.Format.TIME, Gst.SeekFlags(flags), kinds[0],
                                            round(start * Gst.SECOND), kinds[1], round((stop or 0) * Gst.SECOND))
        if not is_done:
            self.player.warnings.append("the seek failed")

    def caps(self, text):
        self.set("caps", "caps", Gst.Caps.from_string(text))

    def set(self, name, key, value):
        self.player.pipeline.get_by_name(name).set_property(key, value)

    def enabled(self, is_enabled):
        for element in self.player.pipeline.children:
            if element.get_factory().get_name() == "sendspinsync":
                element.set_property("enabled", is_enabled)

    def latency(self, seconds):
        self.player.pipeline.set_latency(round(seconds * Gst.SECOND))
