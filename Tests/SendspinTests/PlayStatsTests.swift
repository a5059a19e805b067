import GstTestSupport
import Testing

@Suite struct PlayStatsTests {
    /// With nested structures, Python would free both structures before it reads a figure in the same expression.
    @Test func eachFigureIsAFieldOfItsOwn() throws {
        let script = """
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            player = Gst.parse_launch("sendspinplay uri=sendspin://127.0.0.1:9 audio-sink=fakesink")
            player.set_state(Gst.State.READY)
            print(player.get_property("stats").get_value("sync-drift-ppm"))
            print(player.get_property("stats").get_value("source-chunks"))
            stats = player.get_property("stats")
            for part in ("source", "sync"):
                inner = stats.get_value(part)
                names = [inner.nth_field_name(index) for index in range(inner.n_fields())]
                print(part, len(names) > 3, all(stats.has_field(f"{part}-{name}") for name in names))
            player.set_state(Gst.State.NULL)
            """
        let home = Setup.newFolder().path(percentEncoded: false)
        let run = try ProgramRun("/usr/bin/python3", ["-c", script], ["HOME": home, "XDG_DATA_HOME": home])
        #expect(run.status == 0 && run.output == "0.0\n0\nsource True True\nsync True True\n", "\(run.output)")
    }
}
