import AnalogVideoModel

/// Conversion of Y'CbCr codes to R'G'B' from 0 to 1, and back; ITU-R BT.601, BT.709, BT.2020.
///
/// See docs/NTSC.md, "Y'CbCr".
struct ColourMatrix: Sendable {
    // R = luma · lumaScale + Cr · redInR + offsetR; G and B likewise.
    let lumaScale: Lanes
    let redInR, blueInG, redInG, blueInB: Lanes
    let offsetR, offsetG, offsetB: Lanes

    // luma = R · redInLuma + G · greenInLuma + B · blueInLuma + black
    let redInLuma, greenInLuma, blueInLuma, black: Lanes
    let lumaRange: Lanes
    // Cb = (B - Y) · lumaRange · blueScale + grey, Cr = (R - Y) · lumaRange · redScale + grey
    let blueScale, redScale, grey: Lanes
    /// Largest code of a sample.
    let maximum: Lanes

    init(_ colour: ColourCoding, depth: Int) {
        let (kr, kb) = (colour.redWeight, colour.blueWeight)
        let kg = 1 - kr - kb
        let unit = Double(1 << (depth - 8))
        let largest = Double((1 << depth) - 1)
        let zero = colour.isFullRange ? 0 : 16 * unit
        let lumaRange = colour.isFullRange ? largest : 219 * unit
        let chromaRange = colour.isFullRange ? largest : 224 * unit
        let middle = 128 * unit

        // ITU-R BT.601, BT.709 and BT.2020 differ only in the weights.
        let (redInR, blueInB) = (2 * (1 - kr) / chromaRange, 2 * (1 - kb) / chromaRange)
        let (redInG, blueInG) = (-redInR * kr / kg, -blueInB * kb / kg)
        let darkest = -zero / lumaRange
        lumaScale = Lanes(Float(1 / lumaRange))
        self.redInR = Lanes(Float(redInR))
        (self.redInG, self.blueInG) = (Lanes(Float(redInG)), Lanes(Float(blueInG)))
        self.blueInB = Lanes(Float(blueInB))
        offsetR = Lanes(Float(darkest - redInR * middle))
        offsetG = Lanes(Float(darkest - (redInG + blueInG) * middle))
        offsetB = Lanes(Float(darkest - blueInB * middle))

        redInLuma = Lanes(Float(kr * lumaRange))
        greenInLuma = Lanes(Float(kg * lumaRange))
        blueInLuma = Lanes(Float(kb * lumaRange))
        self.lumaRange = Lanes(Float(lumaRange))
        black = Lanes(Float(zero))
        blueScale = Lanes(Float(chromaRange / lumaRange / (2 * (1 - kb))))
        redScale = Lanes(Float(chromaRange / lumaRange / (2 * (1 - kr))))
        grey = Lanes(Float(middle))
        maximum = Lanes(Float(largest))
    }
}
