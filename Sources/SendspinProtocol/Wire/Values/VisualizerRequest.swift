import JSON

/// Kind of data of the visualizer role.
public enum VisualizerKind: String, CaseIterable, Sendable {
    /// Loudness; periodic.
    case loudness
    /// Beats of the tempo. Servers that do not analyse the tempo send none.
    case beat
    /// The strongest frequency and its level; periodic.
    case frequencyPeak = "f_peak"
    /// Levels of bands of frequencies; periodic.
    case spectrum
    /// Sudden rises of the energy, such as hits of a drum.
    case peak
}

/// Data that the client requests in the visualizer role.
public struct VisualizerRequest: Equatable, Sendable {
    /// Requested kinds of data, without repetitions.
    public var kinds: [VisualizerKind]
    /// Maximum number of values of each periodic kind per second; at least 1.
    public var rate: Int
    /// Number of bands of the spectrum, at least 1.
    public var bandCount: Int

    /// Bytes of messages that the client buffers: 16 s of all kinds with the default rate and number of bands.
    static let bufferCapacity = 32_768
    /// Limits of the spectrum in Hz; music has little below and above.
    private static let (lowest, highest) = (40, 16_000)

    /// Creates a request.
    public init(kinds: [VisualizerKind] = [], rate: Int = 30, bandCount: Int = 16) {
        (self.kinds, self.rate, self.bandCount) = (kinds, rate, bandCount)
    }
}

extension VisualizerRequest {
    var json: JSONObject {
        var object = JSONObject()
        object.add("types", kinds.map(\.rawValue))
        object.add("rate_max", rate)
        guard kinds.contains(.spectrum) else { return object }
        var spectrum = JSONObject()
        spectrum.add("n_disp_bins", bandCount)
        // On this scale, low bands are wide enough for the resolution of the server's analysis.
        spectrum.add("scale", "mel")
        spectrum.add("f_min", Self.lowest)
        spectrum.add("f_max", Self.highest)
        object.add("spectrum", spectrum)
        return object
    }
}
