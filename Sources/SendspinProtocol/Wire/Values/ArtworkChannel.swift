import JSON

/// Image for a channel of the artwork role.
public enum ArtworkSource: String, CaseIterable, Sendable {
    /// Cover of the album.
    case album
    /// Picture of the artist.
    case artist
    /// No picture.
    case none
}

/// Encoding of an image.
public enum PictureFormat: String, CaseIterable, Sendable {
    /// JPEG.
    case jpeg
    /// PNG.
    case png
}

/// Configuration of one of the four channels of the artwork role.
public struct ArtworkChannel: Hashable, Sendable {
    /// Image of the channel.
    public var source: ArtworkSource
    /// Encoding of the images; nil without images.
    public var format: PictureFormat?
    /// Width in pixels.
    public var width: Int?
    /// Height in pixels.
    public var height: Int?

    /// Creates a channel with images; `width` and `height` must be greater than 0.
    public init(source: ArtworkSource, format: PictureFormat, width: Int, height: Int) {
        self.source = source
        self.format = format
        self.width = width
        self.height = height
    }

    private init() { source = .none }

    /// A channel without images.
    public static let off = Self()
}

extension ArtworkChannel {
    func json(_ dialect: Dialect) -> JSONObject {
        var object = JSONObject()
        object.add("source", source.rawValue)
        object.add("format", format?.rawValue)
        object.add(dialect == .legacy ? "media_width" : "width", width)
        object.add(dialect == .legacy ? "media_height" : "height", height)
        return object
    }

    init(_ reader: FieldReader) throws(WireFault) {
        source = try reader.choice("source")
        format = try reader.knownChoice("format")
        for (field, key) in [("width", \Self.width), ("height", \Self.height)] {
            let legacy = "media_" + field
            let value = try reader.optionalInteger(reader.has(field) ? field : legacy, in: 0...65535)
            self[keyPath: key] = value.map { Int($0) }
        }
    }
}
