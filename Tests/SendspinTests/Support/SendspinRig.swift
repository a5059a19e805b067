import CGStreamer
import Foundation
import GstTestSupport
import TestSupport
import SendspinSupport

/// A fake server, and a pipeline that plays from it and records the data at the sink `s`.
final class SendspinRig {
    /// Part of a launch line that decodes to samples of 16 bits.
    static let decoding =
        "decodebin ! audioconvert dithering=none ! audio/x-raw,format=S16LE ! fakesink name=s sync=false"

    let server: FakeServer
    let folder: URL
    let pipeline: Pipeline
    let bus: BusWatch
    let recorder: StreamRecorder

    /// Creates a pipeline of `sendspinsrc name=p` with the given properties, and the line.
    convenience init(
        _ line: String = decoding, _ properties: String = "", server: FakeServer? = nil,
        folder: URL = Setup.newFolder()
    ) throws {
        let server = try server ?? FakeServer()
        try self.init(
            line: "sendspinsrc name=p uri=\(server.uri) \(properties) ! \(line)", server: server, folder: folder)
    }

    /// Creates a pipeline with `sendspinplay name=p` and the given properties.
    convenience init(playingWith properties: String, sink: String = "fakesink name=s sync=false") throws {
        let server = try FakeServer()
        try self.init(
            line: "pipeline.( sendspinplay name=p uri=\(server.uri) audio-sink=\"\(sink)\" \(properties) )",
            server: server)
    }

    /// Creates a pipeline from a whole line, whose element `p` is the player.
    init(line: String, server: FakeServer, folder: URL = Setup.newFolder()) throws {
        _ = SendspinSetup.once
        self.server = server
        self.folder = folder
        pipeline = Pipeline(line)
        pipeline.element("p").set(string: "storage-folder", to: folder.path)
        bus = BusWatch(pipeline.raw)
        // The sink of `sendspinplay` exists from READY on.
        gst_element_set_state(pipeline.raw, GST_STATE_READY)
        recorder = StreamRecorder(pipeline.element("s"))
    }

    deinit {
        pipeline.go(GST_STATE_NULL)
        bus.end()
        server.stop()
    }

    /// Starts the pipeline, and waits until the server may send audio; returns false after a timeout.
    func start() -> Bool {
        // The server may not have noticed yet that the last connection is closed.
        let old = pipeline.raw.pointee.current_state.rawValue > GST_STATE_READY.rawValue ? 0 : server.reports.count
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        return server.wait { $0.count > old && $0.last?.state?.isAvailable == true && $0.last?.closure == nil }
    }

    /// Indices of the received ramp of 16 bits; nil for a damaged frame.
    var indices: [Int64?] { RampSignal.indices(pcm: recorder.bytes, bitDepth: 16) }

    /// The first place at which the recorded ramp of 16 bits is not continuous; nil if it is continuous.
    var rampFault: String? { fault(of: indices) }

    /// Waits until `count` bytes have arrived.
    func hasBytes(_ count: Int, within limit: Duration = patience) -> Bool {
        eventually(within: limit) { recorder.byteCount >= count }
    }

    /// A number in the property `stats` of the player.
    func statistic(_ field: String) -> Double { pipeline.statistic(field) }

    /// Emits an action signal of the player without arguments.
    func emit(_ signal: String) -> Bool { SignalEmission(signal).emit(on: pipeline.element("p")) == "true" }
}

/// Text about the first place at which an index does not follow the previous index; nil if there is none.
func fault(of indices: some Collection<Int64?>) -> String? {
    guard let start = indices.first ?? nil else { return "the first of \(indices.count) frames is damaged" }
    let wrong = zip(indices, start...).enumerated().first { $0.element.0 != $0.element.1 }
    return wrong.map {
        "frame \($0.offset) of \(indices.count) is \($0.element.0.map(String.init) ?? "damaged"), not \($0.element.1)"
    }
}
