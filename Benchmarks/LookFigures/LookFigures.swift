import AnalogVideoModel
import Foundation

/// What a preset does to some pictures, in comparison with the pictures and with the other presets.
public struct LookFigures: Sendable {
    public let name: String
    /// Mean chroma divided by that of the input.
    public let saturation: Double
    /// Horizontal detail of luma divided by that of the input, without noise, snow, tracking noise and head switching.
    public let detail: Double
    /// The most similar other preset.
    public internal(set) var nearest = ""
    /// The peak signal-to-noise ratio to that preset, in dB.
    public internal(set) var nearestDecibels = -Double.infinity

    /// The figures of all presets, means over the pictures; nil if memory is refused.
    public static func all(_ looks: [Look], of pictures: [(frame: UInt64, picture: LookPicture)]) -> [LookFigures]? {
        var results: [[LookPicture]] = []
        var figures: [LookFigures] = []
        for look in looks {
            let played = pictures.compactMap { $0.picture.played(look.settings, frame: $0.frame) }
            let clean = pictures.compactMap { $0.picture.played(look.settings.withoutNoise, frame: $0.frame) }
            guard played.count == pictures.count, clean.count == pictures.count else { return nil }
            results.append(played)
            figures.append(
                LookFigures(
                    name: look.name,
                    saturation: mean(zip(played, pictures)) { $0.meanChroma / $1.picture.meanChroma },
                    detail: mean(zip(clean, pictures)) { $0.horizontalDetail / $1.picture.horizontalDetail }))
        }
        for one in looks.indices {
            for other in looks.indices where other != one {
                let difference = mean(zip(results[one], results[other])) { $0.meanSquareDifference(to: $1) }
                let decibels = 10 * log10(255 * 255 / max(difference, 1e-9))
                guard decibels > figures[one].nearestDecibels else { continue }
                figures[one].nearest = looks[other].name
                figures[one].nearestDecibels = decibels
            }
        }
        return figures
    }

    private init(name: String, saturation: Double, detail: Double) {
        self.name = name
        self.saturation = saturation
        self.detail = detail
    }

    private static func mean<Pairs: Sequence>(_ pairs: Pairs, _ figure: (Pairs.Element) -> Double) -> Double {
        let figures = pairs.map(figure)
        return figures.reduce(0, +) / Double(max(figures.count, 1))
    }
}

extension NTSCSettings {
    /// The same filters without the stages that add to the picture what was not in it.
    fileprivate var withoutNoise: NTSCSettings {
        var settings = self
        settings.compositeNoise = false
        settings.lumaNoise = false
        settings.chromaNoise = false
        settings.snowIntensity = 0
        settings.trackingNoise = false
        settings.headSwitching = false
        return settings
    }
}
