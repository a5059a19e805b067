import AnalogVideoModel

extension PixelFormat {
    /// Larger pictures than any format in use; the limit bounds the memory that caps can request.
    static let largestSide = 65_536

    /// The caps of both pads: the formats in order of preference.
    static let caps = preferred.map { formats in
        let list = formats.map(\.rawValue).joined(separator: ", ")
        let sizes =
            "width = [ 1, \(largestSide) ], height = [ 1, \(largestSide) ], framerate = (fraction) [ 0, max ]"
        return """
            video/x-raw, format = { \(list) }, \(sizes); \
            video/x-raw(format:Interlaced), format = { \(list) }, \(sizes), interlace-mode = alternate
            """
    }.joined(separator: "; ")

    /// A source that supports several formats may prefer the deepest one in a caps structure, which is slower.
    ///
    /// So 8-bit formats have structures of their own and come first; among them, those with all of the colour.
    private static let preferred = [
        allRGB.filter { !$0.isDeep }, allYUV.filter { !$0.isDeep }, allYUV.filter(\.isDeep), allRGB.filter(\.isDeep),
    ]
}
