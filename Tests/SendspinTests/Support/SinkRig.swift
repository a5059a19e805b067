import CGStreamer
import Foundation
import GstTestSupport
import SendspinProtocol
import SendspinSupport
import TestSupport

/// A fake server, and a pipeline that captures to it with `sendspinsink name=p`.
final class SinkRig {
    /// A sine with 16 bits, as a live source.
    static let sine =
        "audiotestsrc name=t is-live=true samplesperbuffer=480 ! audio/x-raw,format=S16LE,rate=48000,channels=2"

    let server: FakeServer
    let folder: URL
    let pipeline: Pipeline
    let bus: BusWatch

    /// Makes `sendspinsink name=p` with properties behind the line.
    convenience init(
        _ line: String = sine, _ properties: String = "", server: FakeServer? = nil, folder: URL = Setup.newFolder()
    ) throws {
        let server = try server ?? FakeServer()
        try self.init(
            line: "\(line) ! sendspinsink name=p uri=\(server.uri) \(properties)", server: server, folder: folder)
    }

    init(line: String, server: FakeServer, folder: URL = Setup.newFolder()) throws {
        _ = SendspinSetup.once
        self.server = server
        self.folder = folder
        pipeline = Pipeline(line)
        pipeline.element().set(string: "storage-folder", to: folder.path)
        bus = BusWatch(pipeline.raw)
    }

    deinit {
        pipeline.go(GST_STATE_NULL)
        bus.end()
        server.stop()
    }

    /// Plays, and waits until the server may request audio; false if that does not happen.
    func start() -> Bool {
        let old = server.reports.count { $0.closure != nil }
        gst_element_set_state(pipeline.raw, GST_STATE_PLAYING)
        return server.wait { $0.count > old && $0.last?.state?.isAvailable == true && $0.last?.closure == nil }
    }

    /// The streams of the newest connection.
    var captures: [CapturedStream] { server.report.captures }

    /// Requests audio, and waits for `count` chunks of a new stream; false if they do not arrive.
    func capture(_ count: Int = 5) -> Bool {
        let old = captures.count
        server.command(.start)
        return server.wait {
            ($0.last?.captures.count ?? 0) > old && ($0.last?.captures.last?.chunks.count ?? 0) >= count
        }
    }

    /// Ends the stream; false if it remains open.
    func release() -> Bool {
        server.command(.stop)
        return server.wait { $0.last?.captures.last?.isEnded == true }
    }

    func statistic(_ field: String) -> Double { pipeline.statistic(field) }

    /// Ends the capture.
    func sendEOS() { gst_element_send_event(pipeline.raw, gst_event_new_eos()) }

    /// Largest error of a capture time: 1 ms, or more if a busy machine delays the answers of the server.
    var clockLimit: Duration {
        // NaN before the first answer.
        max(.milliseconds(1), .nanoseconds(Int64(exactly: (4 * statistic("clock-uncertainty")).rounded()) ?? 0))
    }

    /// Server time at which the frame of the running time `time` was captured.
    func serverTime(of time: Duration) -> Duration {
        // The clock of the pipeline is the monotonic clock, as the one of the fake server.
        let base = Duration.nanoseconds(Int64(gst_element_get_base_time(pipeline.raw)))
        return server.clock.time(at: base + time)
    }
}

/// A file with the ramp, whose frames contain their index, in stereo at 48 kHz.
struct RampFile {
    let url = Setup.newFolder().appending(path: "ramp")
    let bitDepth: Int

    /// Creates a file of a minute, so that a test on a busy machine ends before it.
    init(bitDepth: Int = 16) throws {
        self.bitDepth = bitDepth
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let frames: Int64 = 60 * 48_000
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(frames) * bitDepth / 4)
        for index in 0..<frames {
            for channel in 0..<2 {
                let sample = RampSignal.sample(index, channel: channel, bitDepth: bitDepth)
                for shift in stride(from: 0, to: bitDepth, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: sample >> Int32(shift)))
                }
            }
        }
        try Data(bytes).write(to: url)
    }

    /// A line that plays the file in buffers of `bytes` bytes at the rate of the clock.
    func line(blockSize bytes: Int = 4_000) -> String {
        "filesrc location=\(url.path) blocksize=\(bytes) ! rawaudioparse format=pcm pcm-format=s\(bitDepth)le "
            + "sample-rate=48000 num-channels=2"
    }
}

extension CapturedStream {
    /// Indices of the ramp in PCM.
    var indices: [Int64?] { RampSignal.indices(pcm: bytes, bitDepth: format.bitDepth) }
}
