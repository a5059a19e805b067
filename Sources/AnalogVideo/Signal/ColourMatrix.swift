import AnalogVideoModel

/// The numbers of luma and chroma as parts of the signal, and back.
///
/// One matrix leads from the stored numbers to Y, I and Q: that of the picture's own standard to R'G'B', and that of
/// NTSC.md, section 1.3, from there. I and Q are made of chroma alone, since grey has no colour.
struct ColourMatrix: Sendable {
    // Y = luma · lumaScale + Cb · blueInY + Cr · redInY + lumaOffset
    let lumaScale, blueInY, redInY, lumaOffset: Lanes
    // I = Cb · blueInI + Cr · redInI + offsetI, and Q alike
    let blueInI, redInI, offsetI: Lanes
    let blueInQ, redInQ, offsetQ: Lanes

    // luma = R · redInLuma + G · greenInLuma + B · blueInLuma + black
    let redInLuma, greenInLuma, blueInLuma, black: Lanes
    let lumaRange: Lanes
    // Cb = (B - Y) · lumaRange · blueScale + grey, Cr = (R - Y) · lumaRange · redScale + grey
    let blueScale, redScale, grey: Lanes
    /// The largest number that can be stored.
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

        // What a whole range of Cb and of Cr is in R', G' and B'.
        let cb = (r: 0.0, g: -2 * kb * (1 - kb) / kg, b: 2 * (1 - kb))
        let cr = (r: 2 * (1 - kr), g: -2 * kr * (1 - kr) / kg, b: 0.0)
        func y(_ c: (r: Double, g: Double, b: Double)) -> Double {
            (0.299 * c.r + 0.587 * c.g + 0.114 * c.b) / chromaRange
        }
        func i(_ c: (r: Double, g: Double, b: Double)) -> Double {
            (0.5959 * c.r - 0.2746 * c.g - 0.3213 * c.b) / chromaRange
        }
        func q(_ c: (r: Double, g: Double, b: Double)) -> Double {
            (0.2115 * c.r - 0.5227 * c.g + 0.3112 * c.b) / chromaRange
        }
        lumaScale = Lanes(Float(1 / lumaRange))
        (blueInY, redInY) = (Lanes(Float(y(cb))), Lanes(Float(y(cr))))
        lumaOffset = Lanes(Float(-zero / lumaRange - (y(cb) + y(cr)) * middle))
        (blueInI, redInI) = (Lanes(Float(i(cb))), Lanes(Float(i(cr))))
        offsetI = Lanes(Float(-(i(cb) + i(cr)) * middle))
        (blueInQ, redInQ) = (Lanes(Float(q(cb))), Lanes(Float(q(cr))))
        offsetQ = Lanes(Float(-(q(cb) + q(cr)) * middle))

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
