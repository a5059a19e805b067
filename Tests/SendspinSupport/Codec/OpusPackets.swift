import Foundation

/// Opus packets of 20 ms for a fake stream, made by `opusenc`.
package struct OpusPackets: Sendable, Equatable {
    /// Frames of each packet at 48 kHz.
    package static let frameCount = 960

    package var packets: [[UInt8]]

    /// Takes the packets of an Ogg file except its two headers; nil if the file contains no Opus stream.
    package init?(ogg: [UInt8]) {
        guard let packets = OggPackets.read(ogg), packets.count > 2, packets[0].starts(with: "OpusHead".utf8) else {
            return nil
        }
        self.packets = Array(packets.dropFirst(2))
    }

    /// Encodes a sine with `gst-launch-1.0`; nil if the program or its plugins are not installed.
    package static func sine(seconds: Int) -> OpusPackets? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).opus")
        defer { try? FileManager.default.removeItem(at: file) }
        let launch = Process()
        launch.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        launch.arguments =
            """
            gst-launch-1.0 -q audiotestsrc samplesperbuffer=960 num-buffers=\(seconds * 50) freq=440 ! \
            audio/x-raw,rate=48000,channels=2 ! opusenc frame-size=20 ! oggmux ! filesink location=\(file.path)
            """
            .split(separator: " ").map(String.init)
        guard (try? launch.run()) != nil else { return nil }
        launch.waitUntilExit()
        return (try? Data(contentsOf: file)).flatMap { OpusPackets(ogg: Array($0)) }
    }
}
