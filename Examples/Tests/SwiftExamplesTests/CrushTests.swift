import CGStreamer
import GStreamer
import GStreamerTesting
import SwiftExamples
import Testing

@Suite struct CrushTests {
    private let caps = "audio/x-raw, format=S16LE, layout=interleaved, rate=8000, channels=1"
    /// The lowest, the middle and the highest level, and one between; the low bytes do not count.
    private let samples: [UInt8] = [0x00, 0x80, 0xFF, 0x00, 0xFF, 0x7F, 0xFF, 0x3F]

    private func harness(_ properties: [String: String] = [:]) throws -> Harness {
        initialize()
        gst_plugin_swiftexamples_register()
        return try #require(Harness("swiftcrush", properties, caps: caps))
    }

    @Test(arguments: [
        ("1", [0, 0x80, 0x80, 0x80]), ("4", [0, 0x80, 0xF0, 0xB0]), ("8", [0, 0x80, 0xFF, 0xBF] as [UInt8]),
    ])
    func keepsTheHighestBitsOfEachSample(bits: String, expected: [UInt8]) throws {
        let harness = try harness(["bits": bits])
        #expect(harness.play(samples) == expected)
        #expect(harness.play(Array(samples.prefix(3))) == Array(expected.prefix(1)))
        #expect(harness.play([]) == [])
    }

    @Test func outputHasTheCapsAndTimesOfTheInput() throws {
        let harness = try harness()
        var buffer = Buffer(samples)
        buffer.pts = .seconds(3)
        buffer.duration = .milliseconds(4)
        buffer.markDiscontinuity()
        #expect(harness.push(buffer) == .ok)
        let sample = try #require(harness.pull())
        #expect(sample.caps == Caps("audio/x-raw, format=U8, layout=interleaved, rate=8000, channels=1"))
        #expect(sample.buffer?.pts == .seconds(3) && sample.buffer?.duration == .milliseconds(4))
        #expect(sample.buffer?.isDiscontinuity == true)
    }

    /// The buffers of a pool have one size.
    @Test func poolOfDownstreamDoesNotSetTheSize() throws {
        initialize()
        gst_plugin_swiftexamples_register()
        let harness = try #require(Harness("swiftcrush"))
        harness.element.pad("src")?.withUnsafePointer { pad in
            let peer = gst_pad_get_peer(pad)
            defer { gst_object_unref(peer) }
            gst_pad_set_query_function_full(
                peer,
                { pad, parent, query in
                    guard query?.pointee.type == GST_QUERY_ALLOCATION else {
                        return gst_pad_query_default(pad, parent, query)
                    }
                    let pool = gst_buffer_pool_new()
                    gst_query_add_allocation_pool(query, pool, 100, 2, 0)
                    gst_object_unref(pool)
                    return 1
                }, nil, nil)
        }
        harness.begin(caps: caps)
        #expect(harness.play(samples)?.count == 4)
    }

    @Test func otherCapsAreRefused() throws {
        #expect(try !harness().offer("audio/x-raw, format=S32LE, layout=interleaved, rate=8000, channels=1"))
    }

    @Test func releasesEverythingWithoutAWarning() throws {
        _ = try harness()
        let warnings = loggedWarnings {
            let leaks = Harness.leaks(of: "swiftcrush", caps: caps) { #expect($0.play(samples)?.count == 4) }
            #expect(leaks == [])
        }
        #expect(warnings == [])
    }
}
