import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinWire
import Threads

/// Memory of an application that never reads its bus, while a server sends new states with long names without end.
enum Flood {
    static func run(_ folder: String, _ arguments: [String]) throws {
        let count = arguments.first.flatMap { Int($0) } ?? 100
        let server = try FakeServer()
        let pipeline = Pipeline("sendspinsrc name=p uri=\(server.uri) ! fakesink name=s sync=false")
        let start = MonotonicClock.now
        Playback.start(pipeline, server, folder)
        server.play(.pcm(), lead: .milliseconds(300))
        require(eventually { pipeline.statistic("played") > 0 }, "no stream")
        // The first messages also fill the buffers of the connection.
        for number in 0..<20 { send(number, server, pipeline) }
        let before = ResidentMemory.kilobytes
        for number in 20..<(20 + count) { send(number, server, pipeline) }
        print("growth:", ResidentMemory.kilobytes - before, "kB")
        server.announce(GroupUpdate(playback: .playing, groupID: "id", groupName: "last-group"))
        server.show(Metadata(timestamp: .microseconds(1), title: "last-title"))
        var (posted, missing) = (0, ["last-group", "last-title"])
        let bus = gst_element_get_bus(pipeline.raw)
        let isComplete = eventually {
            while let message = gst_bus_pop_filtered(
                bus, GstMessageType(GST_MESSAGE_ELEMENT.rawValue | GST_MESSAGE_TAG.rawValue))
            {
                posted += 1
                let text = gst_structure_to_string(gst_message_get_structure(message))
                missing.removeAll { text.map { String(cString: $0) }?.contains($0) == true }
                g_free(text)
                gst_message_unref(message)
            }
            return missing.isEmpty
        }
        require(isComplete, "not announced: \(missing)")
        gst_object_unref(bus)
        let seconds = Int((MonotonicClock.now - start) / .seconds(1))
        print("messages beside one in each of the \(seconds) s:", posted - seconds)
        Playback.finish(pipeline, server)
    }

    private static func send(_ number: Int, _ server: FakeServer, _ pipeline: Pipeline) {
        let taken = pipeline.statistic("messages")
        let name = "\(number) " + String(repeating: "x", count: 200_000)
        server.announce(GroupUpdate(playback: .playing, groupID: "id", groupName: name))
        server.show(Metadata(timestamp: .microseconds(1), title: name))
        server.offer(ControllerState(commands: [.play], volume: number % 100, isMuted: false))
        server.showArtwork([UInt8](repeating: UInt8(number & 0xFF), count: 100_000), at: .microseconds(1))
        // In fragments: 4 of each name, 1 of the controller and 3 of the image.
        require(eventually { pipeline.statistic("messages") >= taken + 12 }, "the messages were not taken")
    }
}
