import AnalogVideoModel
import AnalogVideoPlayer
import SignalSupport
import Testing

/// Pictures of rows of one colour, and the planes after each stage, with settings that leave the signal as it is.
enum CleanSignal {
    static let (width, height) = (256, 48)

    /// Settings in which only modulation, demodulation and the delay line change chroma.
    static func settings(_ standard: TelevisionStandard) -> NTSCSettings {
        var settings = NTSCSettings()
        settings.standard = standard
        (settings.inputLumaFilter, settings.chromaLowpassIn, settings.chromaLowpassOut) = (.none, .none, .none)
        (settings.compositePreemphasis, settings.snowIntensity, settings.lumaSmear) = (0, 0, 0)
        (settings.compositeNoise, settings.lumaNoise, settings.chromaNoise) = (false, false, false)
        (settings.headSwitching, settings.trackingNoise, settings.ringing) = (false, false, false)
        (settings.vhsSettings, settings.vhsChromaVertBlend, settings.chromaPhaseNoiseIntensity) = (false, false, 0)
        return settings
    }

    typealias Planes = [SignalStage: [[Float?]]]

    /// Planes of both fields; `pixel` is the colour (blue, green, red, padding) of a row of the picture.
    static func planes(
        _ settings: NTSCSettings, pixel: (Int) -> [UInt8] = { _ in [60, 120, 180, 255] }
    ) throws -> [Planes] {
        try PlaneRecorder.planes(
            settings, width: width, height: height,
            pixels: (0..<height).flatMap { row in (0..<width).flatMap { _ in pixel(row) } })
    }

    /// Rows of a plane, by default luma, after a stage.
    static func rows(_ planes: Planes, _ stage: SignalStage, plane: Int = 0) throws -> [[Float]] {
        let samples = try #require(planes[stage])[plane].map { try #require($0) }
        return stride(from: 0, to: samples.count, by: width).map { Array(samples[$0..<($0 + width)]) }
    }

    /// Column of the centre of brightness.
    static func centre(_ row: [Float]) -> Float {
        zip(row, row.indices).reduce(0) { $0 + $1.0 * Float($1.1) } / row.reduce(0, +)
    }

    /// Chroma of a row, as planes I and Q; `column` is the middle by default.
    static func chroma(
        _ planes: Planes, _ stage: SignalStage, row: Int, column: Int = width / 2
    ) throws -> (x: Double, y: Double) {
        let recorded = try #require(planes[stage])
        let place = row * width + column
        return try (Double(#require(recorded[1][place])), Double(#require(recorded[2][place])))
    }
}
