/// Data about the music at a time, from one or more binary messages of the visualizer role.
///
/// Levels are A-weighted, from 0 (-60 dB or less) to 65535 (0 dB), linear in dB.
public struct VisualizerFrame: Equatable, Sendable {
    /// Level of a frequency.
    public struct Tone: Equatable, Sendable {
        /// Frequency in Hz; 0 if no frequency stands out.
        public var frequency: UInt16
        /// Its level.
        public var level: UInt16
    }

    /// Server time at which the data are shown.
    public var timestamp: Duration
    /// Loudness as a level.
    public var loudness: UInt16?
    /// Whether the beat begins a bar; nil without a beat.
    public var isDownbeat: Bool?
    /// The strongest frequency.
    public var strongest: Tone?
    /// Levels of the bands, from the lowest frequency to the highest.
    public var spectrum: [UInt16]?
    /// Strength of a sudden rise of the energy, from 0 to 255.
    public var peak: UInt8?

    /// Number of bytes before the data, including the type.
    private static let headerSize = 9

    /// Replaces the data that `newer` has; the time remains.
    mutating func merge(_ newer: Self) {
        loudness = newer.loudness ?? loudness
        isDownbeat = newer.isDownbeat ?? isDownbeat
        strongest = newer.strongest ?? strongest
        spectrum = newer.spectrum ?? spectrum
        peak = newer.peak ?? peak
    }
}

extension VisualizerFrame {
    /// Parses a message whose type is in `BinaryType.visualizer`.
    public init(parsing message: [UInt8]) throws(WireFault) {
        guard let type = message.first, let kind = VisualizerKind(binaryType: type), message.count > Self.headerSize,
            let time: Int64 = BigEndian.read(message[1...])
        else { throw .badLength(type: message.first ?? 0, byteCount: message.count) }
        self.init(timestamp: Duration(wireMicroseconds: time))
        let data = message[Self.headerSize...]
        switch (kind, data.count) {
        case (.loudness, 2): loudness = BigEndian.read(data)
        // The other bits are reserved.
        case (.beat, 1): isDownbeat = (data[Self.headerSize] & 1) != 0
        case (.frequencyPeak, 4):
            guard let frequency: UInt16 = BigEndian.read(data), let level: UInt16 = BigEndian.read(data.dropFirst(2))
            else { return }
            strongest = Tone(frequency: frequency, level: frequency == 0 ? 0 : level)
        case (.spectrum, let count) where count.isMultiple(of: 2):
            spectrum = stride(from: data.startIndex, to: data.endIndex, by: 2).compactMap {
                BigEndian.read(data[$0...])
            }
        case (.peak, 1): peak = data[Self.headerSize]
        default: throw .badLength(type: type, byteCount: message.count)
        }
    }
}

extension VisualizerKind {
    /// The kind of a binary message; nil if the type is not in `BinaryType.visualizer`.
    init?(binaryType: UInt8) {
        guard BinaryType.visualizer.contains(binaryType) else { return nil }
        self = Self.allCases[Int(binaryType - BinaryType.visualizer.lowerBound)]
    }
}
