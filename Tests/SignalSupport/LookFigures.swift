import AnalogVideoModel
import Glibc

/// Figures for the change of some pictures by a preset, and for the similarity of the results to other presets.
package struct LookFigures: Sendable {
    package let name: String
    /// Mean chroma of the result divided by mean chroma of the input.
    package let saturation: Double
    /// Energy of the horizontal edges of luma divided by the energy in the input, with the settings `withoutNoise`.
    ///
    /// Overshoot and ringing raise the energy, and blur lowers it, so the energy does not measure the remaining detail.
    package let edges: Double
    /// The peak signal-to-noise ratio to each other preset, in dB.
    package fileprivate(set) var decibels: [String: Double] = [:]
    /// The peak signal-to-noise ratio to each other preset with `withoutNoise`, where only the filters differ.
    package fileprivate(set) var filterDecibels: [String: Double] = [:]

    /// The most similar other preset.
    package var nearest: (name: String, decibels: Double)? { Self.nearest(in: decibels) }
    /// The preset with the most similar filters.
    package var nearestFilters: (name: String, decibels: Double)? { Self.nearest(in: filterDecibels) }

    private static func nearest(in decibels: [String: Double]) -> (name: String, decibels: Double)? {
        decibels.max { $0.value < $1.value }.map { (name: $0.key, decibels: $0.value) }
    }

    /// The figures of all presets, which are means over the pictures; nil if memory is refused.
    package static func all(_ looks: [Look], of pictures: [(frame: UInt64, picture: LookPicture)]) -> [LookFigures]? {
        var results: [(played: [LookPicture], clean: [LookPicture])] = []
        var figures: [LookFigures] = []
        for look in looks {
            let played = pictures.compactMap { $0.picture.played(look.settings, frame: $0.frame) }
            let clean = pictures.compactMap { $0.picture.played(look.settings.withoutNoise, frame: $0.frame) }
            guard played.count == pictures.count, clean.count == pictures.count else { return nil }
            results.append((played, clean))
            figures.append(
                LookFigures(
                    name: look.name,
                    saturation: mean(zip(played, pictures)) { $0.meanChroma / $1.picture.meanChroma },
                    edges: mean(zip(clean, pictures)) { $0.horizontalEdges / $1.picture.horizontalEdges }))
        }
        for one in looks.indices {
            for other in looks.indices where other != one {
                let name = looks[other].name
                figures[one].decibels[name] = decibels(of: results[one].played, to: results[other].played)
                figures[one].filterDecibels[name] = decibels(of: results[one].clean, to: results[other].clean)
            }
        }
        return figures
    }

    private init(name: String, saturation: Double, edges: Double) {
        self.name = name
        self.saturation = saturation
        self.edges = edges
    }

    private static func decibels(of pictures: [LookPicture], to others: [LookPicture]) -> Double {
        let difference = mean(zip(pictures, others)) { $0.meanSquareDifference(to: $1) }
        return 10 * log10(255 * 255 / max(difference, 1e-9))
    }

    private static func mean<Pairs: Sequence>(_ pairs: Pairs, _ figure: (Pairs.Element) -> Double) -> Double {
        let figures = pairs.map(figure)
        return figures.reduce(0, +) / Double(max(figures.count, 1))
    }
}

extension NTSCSettings {
    /// These settings without random stages and without head switching.
    ///
    /// A chroma loss of probability 1 remains, because it is not random but makes a picture monochrome.
    var withoutNoise: NTSCSettings {
        var settings = self
        settings.compositeNoise = false
        settings.lumaNoise = false
        settings.chromaNoise = false
        settings.chromaPhaseNoiseIntensity = 0
        settings.snowIntensity = 0
        settings.syncNoise = 0
        settings.trackingNoise = false
        settings.headSwitching = false
        settings.vhsEdgeWaveEnabled = false
        if vhsChromaLoss < 1 { settings.vhsChromaLoss = 0 }
        return settings
    }
}
