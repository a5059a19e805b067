import GstTestSupport
import Testing

/// Tests the default of `storage-folder`.
@Suite struct DataFolderTests {
    /// The specification of `XDG_DATA_HOME` requires that a relative path is ignored.
    @Test(arguments: [("data", ".local"), ("", ".local"), ("/data", "data")])
    func relativeDataHomeIsIgnored(variable: String, folder: String) throws {
        let script = """
            import gi, os, sys
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            os.chdir(os.environ["HOME"])
            source = Gst.ElementFactory.make("sendspinsrc", None)
            source.set_property("uri", "sendspin://127.0.0.1:9")
            source.set_state(Gst.State.PAUSED)
            source.set_state(Gst.State.NULL)
            print(*[name for name in os.listdir() if name in ("data", ".local")])
            """
        let home = Setup.newFolder().path(percentEncoded: false)
        let data = variable.hasPrefix("/") ? home + variable : variable
        let run = try ProgramRun("/usr/bin/python3", ["-c", script], ["HOME": home, "XDG_DATA_HOME": data])
        #expect(run.status == 0 && run.output == folder + "\n", "\(run.output)")
    }
}
