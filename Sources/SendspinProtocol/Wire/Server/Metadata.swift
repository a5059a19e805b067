import JSON

/// Description of the track that plays.
public struct Metadata: Equatable, Sendable, ServerTimed {
    /// Server time from which the description is valid.
    public var timestamp: Duration
    /// Title of the track.
    public var title: String?
    /// Artist of the track.
    public var artist: String?
    /// Artist of the album.
    public var albumArtist: String?
    /// Title of the album.
    public var album: String?
    /// URL of an image from the server; it is never opened.
    public var artworkURL: String?
    /// Year of publication.
    public var year: Int?
    /// Number of the track on the album.
    public var track: Int?
    /// Position in the track.
    public var progress: TrackProgress?
}

/// Position in the track at the metadata's timestamp.
public struct TrackProgress: Equatable, Sendable {
    /// Time since the start of the track.
    public var position: Duration
    /// Duration of the track; nil if unknown or unlimited.
    public var duration: Duration?
    /// Playback speed in thousandths; 0 while paused.
    public var speed = 1000
}

extension Metadata {
    /// Takes omitted fields from `previous`: legacy servers send only changes, and null for a field without a value.
    init(_ reader: FieldReader, updating previous: Metadata?) throws(WireFault) {
        func kept<Value>(_ field: String, _ value: Value?, _ old: Value?) -> Value? { reader.has(field) ? value : old }

        timestamp = try reader.time("timestamp")
        title = kept("title", try reader.optionalText("title"), previous?.title)
        artist = kept("artist", try reader.optionalText("artist"), previous?.artist)
        albumArtist = kept("album_artist", try reader.optionalText("album_artist"), previous?.albumArtist)
        album = kept("album", try reader.optionalText("album"), previous?.album)
        artworkURL = kept("artwork_url", try reader.optionalString("artwork_url"), previous?.artworkURL)
        year = kept("year", try Self.number("year", reader), previous?.year)
        track = kept("track", try Self.number("track", reader), previous?.track)
        let progress = try reader.optionalObject("progress")
        self.progress = reader.has("progress") ? try progress.map(TrackProgress.init) : previous?.progress
    }

    /// A year or a track number; servers send 0 if it is unknown.
    private static func number(_ field: String, _ reader: FieldReader) throws(WireFault) -> Int? {
        try reader.optionalInteger(field, in: 0...Int64(Int32.max)).flatMap { $0 == 0 ? nil : Int($0) }
    }
}

extension TrackProgress {
    init(_ reader: FieldReader) throws(WireFault) {
        let range: ClosedRange<Int64> = 0...(1 << 53)
        position = .milliseconds(try reader.integer("track_progress", in: range))
        let duration = try reader.integer("track_duration", in: range)
        self.duration = duration == 0 ? nil : .milliseconds(duration)
        speed = Int(try reader.integer("playback_speed", in: 0...Int64(Int32.max)))
    }
}
