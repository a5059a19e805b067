import AnalogVideoModel

/// A picture with red, green, blue, and alpha or padding, which does not depend on a format.
struct TestPicture: Equatable {
    let width: Int
    let height: Int
    /// Red, green and blue of each pixel, row by row.
    var colour: [UInt16]
    /// Alpha or padding of each pixel; empty if the format has neither.
    var rest: [UInt16]

    private static let letters: [Character] = ["R", "G", "B"]

    /// Creates a picture with smooth and sharp parts in all colours, and with another alpha in each pixel.
    init(width: Int, height: Int, isDeep: Bool = false) {
        self.width = width
        self.height = height
        colour = []
        rest = []
        for y in 0..<height {
            for x in 0..<width {
                let bars = ((x * 8) / max(width, 1)) ^ ((y * 3) / max(height, 1))
                let codes = [(bars & 1) * 180 + x % 40, ((bars >> 1) & 1) * 180 + y % 60, ((bars >> 2) & 1) * 200 + 20]
                colour += codes.map { UInt16(isDeep ? $0 * 257 + (x * y) % 97 : $0) }
                rest.append(UInt16((x * 7 + y * 13) % 251))
            }
        }
    }

    /// Reads `bytes`, whose rows are `stride` bytes apart.
    init(_ bytes: [UInt8], _ format: PixelFormat, width: Int, height: Int, stride: Int) {
        self.width = width
        self.height = height
        colour = []
        rest = []
        let order = format.order
        for y in 0..<height {
            for x in 0..<width {
                let pixel = y * stride + x * format.bytesPerPixel
                let components = order.indices.map { Self.load(bytes, pixel, $0, format) }
                for letter in Self.letters { colour.append(components[order.firstIndex(of: letter)!]) }
                if let index = order.firstIndex(where: { "xA".contains($0) }) { rest.append(components[index]) }
            }
        }
    }

    /// The bytes of the picture, by default with the stride that GStreamer uses without a GstVideoMeta.
    func bytes(_ format: PixelFormat, stride: Int? = nil) -> [UInt8] {
        let stride = stride ?? format.stride(width: width)
        var bytes = [UInt8](repeating: 0xEE, count: stride * height)
        let order = format.order
        for y in 0..<height {
            for x in 0..<width {
                let number = y * width + x
                for (index, letter) in order.enumerated() {
                    let value = Self.letters.firstIndex(of: letter).map { colour[number * 3 + $0] }
                    let pixel = y * stride + x * format.bytesPerPixel
                    Self.store(value ?? rest[number], in: &bytes, pixel, index, format)
                }
            }
        }
        return bytes
    }

    // If `==` fails in a test, Swift Testing computes the shortest difference, which takes minutes for pictures.
    func hasColour(of other: TestPicture) -> Bool { colour == other.colour }
    func hasRest(of other: TestPicture) -> Bool { rest == other.rest }

    /// The rows of one field.
    func field(isTop: Bool) -> TestPicture { TestPicture(width: width, rows: isTop ? 0 : 1, of: self) }

    private init(width: Int, rows first: Int, of picture: TestPicture) {
        let rows = Array(stride(from: first, to: picture.height, by: 2))
        self.width = width
        height = rows.count
        colour = rows.flatMap { picture.colour[($0 * width * 3)..<(($0 + 1) * width * 3)] }
        rest = picture.rest.isEmpty ? [] : rows.flatMap { picture.rest[($0 * width)..<(($0 + 1) * width)] }
    }

    private static func load(_ bytes: [UInt8], _ pixel: Int, _ index: Int, _ format: PixelFormat) -> UInt16 {
        guard format.isDeep else { return UInt16(bytes[pixel + index]) }
        let (one, other) = (UInt16(bytes[pixel + index * 2]), UInt16(bytes[pixel + index * 2 + 1]))
        return format.isBigEndian ? (one << 8) | other : (other << 8) | one
    }

    private static func store(
        _ value: UInt16, in bytes: inout [UInt8], _ pixel: Int, _ index: Int, _ format: PixelFormat
    ) {
        guard format.isDeep else { return bytes[pixel + index] = UInt8(value) }
        let (low, high) = (UInt8(value & 0xFF), UInt8(value >> 8))
        bytes[pixel + index * 2] = format.isBigEndian ? high : low
        bytes[pixel + index * 2 + 1] = format.isBigEndian ? low : high
    }
}

/// Properties of formats, which are derived from their names and not from the tested code.
extension PixelFormat {
    /// The letters of the components, in the order of memory.
    var order: [Character] { Array(rawValue.prefix { $0.isLetter }) }
    var isBigEndian: Bool { rawValue.hasSuffix("BE") }

    /// The stride of the format, because GStreamer rounds up rows to four bytes.
    func stride(width: Int) -> Int { (width * bytesPerPixel + 3) / 4 * 4 }

    func caps(_ width: Int, _ height: Int, _ more: String = "framerate=30/1") -> String {
        "video/x-raw,format=\(rawValue),width=\(width),height=\(height),\(more)"
    }
}
