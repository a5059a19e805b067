import AnalogVideoModel

extension PixelFormat {
    /// Maximum width and height in pixels, which bounds the memory that caps can request.
    static let largestSide = 65_536

    /// Caps of both pads, with the formats in order of preference.
    static let caps = preferred.map { formats in
        let list = formats.map(\.rawValue).joined(separator: ", ")
        let sizes =
            "width = [ 1, \(largestSide) ], height = [ 1, \(largestSide) ], framerate = (fraction) [ 0, max ]"
        return """
            video/x-raw, format = { \(list) }, \(sizes); \
            video/x-raw(format:Interlaced), format = { \(list) }, \(sizes), interlace-mode = alternate
            """
    }.joined(separator: "; ")

    /// Formats in order of preference; each group becomes a caps structure.
    ///
    /// A source may select the deepest format of a structure, which is the slowest. Therefore 8-bit formats have
    /// separate structures and come first. R'G'B' precedes Y'CbCr, because most Y'CbCr formats subsample chroma.
    private static let preferred = [
        allRGB.filter { !$0.isDeep }, allYUV.filter { !$0.isDeep }, allYUV.filter(\.isDeep), allRGB.filter(\.isDeep),
    ]
}
