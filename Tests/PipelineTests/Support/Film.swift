import Foundation

/// The size of a video or image file, and its decoded frames, which are scaled to small RGB pictures.
struct Film {
    /// Size of the small pictures.
    static let columns = 160, rows = 90

    let width: Int
    let height: Int
    let frames: [ArraySlice<UInt8>]

    init(of file: URL) async throws {
        let raw = Folders.fresh("film").appending(path: "frames.rgb")
        let decoding = try await Command.run(
            named: "gst-launch-1.0",
            ["-v", "filesrc", "location=\(file.path(percentEncoded: false))"]
                + Self.decoder("video/x-raw") + "! identity name=decoded ! videoconvert ! videoscale".words
                + "! video/x-raw,format=RGB,width=\(Self.columns),height=\(Self.rows) ! filesink".words
                + ["location=\(raw.path(percentEncoded: false))"])
        guard decoding.succeeded,
            let size = decoding.output.firstMatch(
                of: /decoded\.GstPad:src: caps = .*width=\(int\)(\d+), height=\(int\)(\d+)/),
            let width = Int(size.1), let height = Int(size.2)
        else { throw Undecodable(output: decoding.output) }
        (self.width, self.height) = (width, height)
        let bytes = [UInt8](try Data(contentsOf: raw))
        try? FileManager.default.removeItem(at: raw)
        let frameSize = Self.columns * Self.rows * 3
        frames = stride(from: 0, to: bytes.count, by: frameSize).map { bytes[$0..<min($0 + frameSize, bytes.count)] }
    }

    /// A decoder for one kind of stream, because the order of linking is not defined for several kinds.
    private static func decoder(_ caps: String) -> [String] {
        "! decodebin expose-all-streams=false caps=\(caps)".words
    }

    struct Undecodable: Error {
        let output: String
    }

    /// Number of audio samples that are not 0 after the sound of `file` is mixed to one channel.
    static func soundSampleCount(of file: URL) async throws -> Int {
        let raw = Folders.fresh("sound").appending(path: "sound.raw")
        let decoding = try await Command.run(
            named: "gst-launch-1.0",
            ["-q", "filesrc", "location=\(file.path(percentEncoded: false))"]
                + Self.decoder("audio/x-raw")
                + "! audioconvert ! audio/x-raw,format=S16LE,channels=1 ! filesink".words
                + ["location=\(raw.path(percentEncoded: false))"])
        guard decoding.succeeded else { throw Undecodable(output: decoding.output) }
        let samples = [UInt8](try Data(contentsOf: raw))
        return stride(from: 0, to: samples.count - 1, by: 2).count { samples[$0] != 0 || samples[$0 + 1] != 0 }
    }

    /// The RGB samples of the given columns and rows of a frame.
    func samples(frame: Int, columns: Range<Int> = 0..<columns, rows: Range<Int> = 0..<rows) -> [UInt8] {
        let start = frames[frame].startIndex
        return rows.flatMap { row in
            frames[frame][(start + (row * Self.columns + columns.lowerBound) * 3)...].prefix(columns.count * 3)
        }
    }

    /// Mean difference between the largest and the smallest sample of a pixel; 0 for a picture without colour.
    static func colour(_ samples: [UInt8]) -> Double {
        let pixels = stride(from: 0, to: samples.count, by: 3).map { samples[$0..<($0 + 3)] }
        return Double(pixels.reduce(0) { $0 + Int($1.max()!) - Int($1.min()!) }) / Double(pixels.count)
    }

    /// Mean absolute difference of `frame` of this file and `otherFrame` of `other`, in codes per sample.
    func difference(frame: Int, from other: Film, frame otherFrame: Int) -> Double {
        Self.difference(frames[frame], other.frames[otherFrame])
    }

    /// Mean absolute difference of two pictures of the same size, in codes per sample.
    static func difference(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Double {
        Double(zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(one.count)
    }

    /// Mean absolute difference of the left and the right half of a frame, in codes per sample.
    func differenceOfHalves(frame: Int) -> Double {
        Self.difference(
            samples(frame: frame, columns: 0..<(Self.columns / 2)),
            samples(frame: frame, columns: (Self.columns / 2)..<Self.columns))
    }
}

extension String {
    var words: [String] { split(separator: " ").map(String.init) }
}
