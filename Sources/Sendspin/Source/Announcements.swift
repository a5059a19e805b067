import GStreamer
import SendspinProtocol

/// Announcements to the application: messages with states of the server, and the tags of the track.
///
/// Messages stay in memory until the application reads its bus, so their rate and the bytes of images are limited. A
/// state above the limit waits, and a newer state of its kind replaces it; the last state is always announced.
struct Announcements: Sendable {
    enum Announcement: Equatable, Sendable {
        case message(Structure)
        case tags(TagList)

        /// Kind of the announcement; only the newest announcement of each kind waits.
        fileprivate var kind: String {
            switch self {
            case .message(let message): message.name
            case .tags: ""
            }
        }
    }

    private var messages = PeerBudget(capacity: 60, pause: .seconds(1))
    /// Budget of image data in kB; a cover of 600 x 600 pixels has 50 to 200 kB.
    private var imageData = PeerBudget(capacity: 512, pause: .seconds(1))
    private var waiting: [Announcement] = []
    private var last: [String: Announcement] = [:]
    private var metadata: Metadata?
    private var image: Sample?
    /// Image that waits for its budget; empty if the image must be removed.
    private var nextImage: [UInt8]?

    /// Time at which `take` returns the next announcement; nil if nothing waits.
    var deadline: Duration? {
        [waiting.isEmpty ? nil : messages.next, nextImage == nil ? nil : imageData.next].compactMap { $0 }.min()
    }

    /// Starts the announcements of the next server; the tags remain until this server changes them.
    mutating func begin() {
        waiting.removeAll { $0.kind != "" }
        last = last.filter { $0.key == "" }
        nextImage = nil
    }

    mutating func add(_ message: Structure) { add(.message(message)) }

    mutating func describe(_ metadata: Metadata?) {
        self.metadata = metadata
        addTags()
        add(GroupMessages.progress(metadata))
    }

    mutating func show(_ new: [UInt8]) { nextImage = new == image?.bytes ?? [] ? nil : new }

    /// Returns the next announcement; nil if none waits or the budget is used up.
    mutating func take(at now: Duration) -> Announcement? {
        if let new = nextImage, new.isEmpty || imageData.take(1 + (new.count / 1000), at: now) {
            image = new.isEmpty ? nil : Caps("image/jpeg").map { Sample(new, caps: $0) }
            nextImage = nil
            addTags()
        }
        return !waiting.isEmpty && messages.take(at: now) ? takeFirst() : nil
    }

    /// Returns the next announcement regardless of the budget, after a loss of the server; omits a waiting image.
    mutating func takeFirst() -> Announcement? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        last[first.kind] = first
        return first
    }

    private mutating func addTags() {
        // While a new image waits, the old image is omitted, because it belongs to the previous track.
        add(.tags(TrackTags.tags(metadata, image: nextImage == nil ? image : nil)))
    }

    private mutating func add(_ new: Announcement) {
        let place = waiting.firstIndex { $0.kind == new.kind }
        switch (place, new == last[new.kind] ?? .tags(TagList())) {
        case (let place?, true): waiting.remove(at: place)
        case (let place?, false): waiting[place] = new
        case (nil, false): waiting.append(new)
        case (nil, true): break
        }
    }
}

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

    /// Returns nil for an empty text, because a tag must not be empty.
    private static func text(_ text: String?) -> Structure.Value? {
        guard let text, !text.isEmpty else { return nil }
        return .string(text)
    }
}
