import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests the bitrate of encoders in a pipeline.
@Suite(.serialized) struct EncoderTests {
    static let source =
        "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"

    func makeRig(_ settings: String, _ after: String, source: String = source) -> ThermalRig {
        FakeEncoder.ready
        return ThermalRig(source, settings, after)
    }

    func number(_ rig: ThermalRig, _ property: String, of name: String = "e") -> Double {
        Double(rig.pipeline.get(property, of: name)) ?? .nan
    }

    /// The messages until one contains `text`, and the messages of the next 0.3 s.
    func listen(to rig: ThermalRig, until text: String) -> [String] {
        var heard: [String] = []
        _ = eventually {
            heard += rig.pipeline.listen(seconds: 0.05)
            return heard.contains { $0.contains(text) }
        }
        return heard + rig.pipeline.listen(seconds: 0.3)
    }
}
