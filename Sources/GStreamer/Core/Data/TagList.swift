public import CGStreamer

/// Metadata of a stream, such as title, artist and bitrate.
///
/// The value is a copy of the C list. The corresponding C type is `GstTagList`.
public struct TagList: Sendable, Equatable {
    /// The name of a tag and the kind of its values.
    ///
    /// The corresponding C constants begin with `GST_TAG_`.
    public struct Tag: Sendable, Hashable {
        /// The name, such as `title`.
        public let name: String

        /// A tag that is registered with GStreamer.
        public init(_ name: String) { self.name = name }

        /// `GST_TAG_TITLE`, a text.
        public static let title = Tag(GST_TAG_TITLE)
        /// `GST_TAG_ARTIST`, a text.
        public static let artist = Tag(GST_TAG_ARTIST)
        /// `GST_TAG_ALBUM`, a text.
        public static let album = Tag(GST_TAG_ALBUM)
        /// `GST_TAG_ALBUM_ARTIST`, a text.
        public static let albumArtist = Tag(GST_TAG_ALBUM_ARTIST)
        /// `GST_TAG_TRACK_NUMBER`, a number.
        public static let trackNumber = Tag(GST_TAG_TRACK_NUMBER)
        /// `GST_TAG_DATE_TIME`, a date.
        public static let date = Tag(GST_TAG_DATE_TIME)
        /// `GST_TAG_IMAGE`, a sample with the encoded picture.
        public static let image = Tag(GST_TAG_IMAGE)
        /// `GST_TAG_BITRATE`, bits per second.
        public static let bitrate = Tag(GST_TAG_BITRATE)
        /// `GST_TAG_DURATION`, nanoseconds.
        public static let duration = Tag(GST_TAG_DURATION)
    }

    private var values: [Tag: Structure.Value]

    /// A list with one value for each tag.
    public init(_ values: [Tag: Structure.Value] = [:]) { self.values = values }

    /// Copies a C list, with the first value of each tag.
    public init(unsafe raw: UnsafePointer<GstTagList>) { self.init(raw) }

    init(_ raw: UnsafePointer<GstTagList>) {
        values = [:]
        for index in 0..<max(0, gst_tag_list_n_tags(raw)) {
            guard let name = gst_tag_list_nth_tag_name(raw, guint(index)),
                let value = gst_tag_list_get_value_index(raw, name, 0).flatMap({ Structure.Value($0) })
            else { continue }
            values[Tag(String(cString: name))] = value
        }
    }

    /// The value of a tag; nil if the list does not have the tag.
    public subscript(tag: Tag) -> Structure.Value? {
        get { values[tag] }
        set { values[tag] = newValue }
    }

    /// A new C list (transfer full); values of the wrong type are logged and omitted.
    func makeRaw() -> UnsafeMutablePointer<GstTagList>? {
        let list = gst_tag_list_new_empty()
        for (tag, value) in values {
            guard gst_tag_exists(tag.name) != 0, gst_tag_get_type(tag.name) == value.kind?.type,
                var copy = value.makeValue()
            else {
                bridgeLog.warning(nil, "the value of the tag \(tag.name) has the wrong type: \(value)")
                continue
            }
            gst_tag_list_add_value(list, GST_TAG_MERGE_REPLACE, tag.name, &copy)
            g_value_unset(&copy)
        }
        return list
    }
}

extension ElementHost {
    /// Posts a TAG message.
    ///
    /// The corresponding C function is `gst_message_new_tag`.
    public func post(_ tags: TagList) {
        post { gst_message_new_tag($0, tags.makeRaw()) }
    }
}
