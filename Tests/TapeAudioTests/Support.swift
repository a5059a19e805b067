import CGStreamer
import GstTestSupport

/// A `tapeaudio` between two pads, with the sound that it has pushed.
final class Rig {
    struct Output {
        let bytes: [UInt8]
        let pts: UInt64
        let duration: UInt64
        let flags: UInt32
        let isOfPool: Bool
    }

    static let caps = "audio/x-raw,format=F32LE,rate=48000,channels=2,layout=interleaved"
    static let bytesInFrame = 8
    let harness: Harness

    init(_ properties: [String: String] = [:], caps: String? = Rig.caps) {
        harness = Harness(TestElement("tapeaudio", properties), caps: caps)
    }

    /// Pushes samples of both channels; a nil timestamp is none.
    @discardableResult
    func push(_ samples: ArraySlice<Float>, at frame: Int?, flags: UInt32 = 0) -> GstFlowReturn {
        let bytes = samples.flatMap { sample in [sample, sample] }.withUnsafeBytes { Array($0) }
        let buffer = newBuffer(bytes, pts: frame.map { UInt64($0) * second / 48_000 })
        buffer.pointee.mini_object.flags |= flags
        return harness.push(buffer)
    }

    func push(event: UnsafeMutablePointer<GstEvent>) { harness.push(event: event) }

    /// The buffers that have arrived since the last call.
    func outputs() -> [Output] {
        var outputs: [Output] = []
        while let buffer = harness.pullRaw() {
            outputs.append(
                Output(
                    bytes: buffer.bytes, pts: UInt64(buffer.pointee.pts), duration: UInt64(buffer.pointee.duration),
                    flags: buffer.pointee.mini_object.flags, isOfPool: buffer.pointee.pool != nil))
            gst_buffer_unref(buffer)
        }
        return outputs
    }

    /// The latency of the element in the answer to a query.
    var latency: (minimum: UInt64, maximum: UInt64) {
        let query = gst_query_new_latency()
        defer { gst_query_unref(query) }
        let pad = gst_element_get_static_pad(harness.subject.element, "src")
        defer { gst_object_unref(pad) }
        _ = gst_pad_query(pad, query)
        var isLive: gboolean = 0
        var (minimum, maximum): (GstClockTime, GstClockTime) = (0, 0)
        gst_query_parse_latency(query, &isLive, &minimum, &maximum)
        return (UInt64(minimum), UInt64(maximum))
    }
}

extension [Rig.Output] {
    /// The samples of the first channel.
    var samples: [Float] {
        flatMap(\.bytes).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - 7, by: 8).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) }
        }
    }
}

let second: UInt64 = 1_000_000_000

/// Properties with which the element only delays sound.
let transparent = [
    "track": "none", "receiver-noise": "-120", "buzz": "-120", "drop-outs": "off",
]

/// Samples that differ from each other.
func ramp(_ count: Int) -> [Float] { (0..<count).map { Float($0 % 997) / 1_000 - 0.5 } }
