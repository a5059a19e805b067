import GStreamer
import SendspinProtocol

/// The tags of a track.
enum TrackTags {
    static func tags(_ metadata: Metadata?, image: Sample?) -> TagList {
        var tags = TagList()
        tags[.title] = text(metadata?.title)
        tags[.artist] = text(metadata?.artist)
        tags[.albumArtist] = text(metadata?.albumArtist)
        tags[.album] = text(metadata?.album)
        if let track = metadata?.track, track > 0 { tags[.trackNumber] = .uint(UInt32(clamping: track)) }
        if let year = metadata?.year, (1...9999).contains(year) { tags[.date] = .date(CalendarDate(year: Int32(year))) }
        if let duration = metadata?.progress?.duration { tags[.duration] = .time(duration) }
        tags[.image] = image.map { .sample($0) }
        return tags
    }

    /// Tags must not be empty.
    private static func text(_ text: String?) -> Structure.Value? {
        guard let text, !text.isEmpty else { return nil }
        return .string(text)
    }
}
