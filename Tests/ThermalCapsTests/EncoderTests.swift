import CGStreamer
import Foundation
import StageSupport
import Testing

/// The bitrate of encoders in a pipeline.
@Suite(.serialized) struct EncoderTests {
    static let source =
        "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"

    func show(_ settings: String, _ after: String, source: String = source) -> Show {
        FakeEncoder.ready
        return Show(source, settings, after)
    }

    func number(_ show: Show, _ property: String, of name: String = "e") -> Double {
        Double(show.stage.get(property, of: name)) ?? .nan
    }

    /// The messages up to one with `text`, and those of some rounds after it.
    func listen(to show: Show, until text: String) -> [String] {
        var heard: [String] = []
        _ = show.becomes {
            heard += show.stage.listen(seconds: 0.05)
            return heard.contains { $0.contains(text) }
        }
        return heard + show.stage.listen(seconds: 0.3)
    }
}
