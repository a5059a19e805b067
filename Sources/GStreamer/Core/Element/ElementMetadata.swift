import CGStreamer

/// What `gst-inspect-1.0` prints about an element.
public struct ElementMetadata: Sendable {
    let longName, classification, description, author: String

    /// The long name; the classification, such as `Filter/Effect/Video`; one sentence on what the element does; its authors.
    ///
    /// The corresponding C function is `gst_element_class_set_metadata`.
    public init(_ longName: String, classification: String, description: String, author: String) {
        self.longName = longName
        self.classification = classification
        self.description = description
        self.author = author
    }

    func install(on elementClass: UnsafeMutablePointer<GstElementClass>) {
        gst_element_class_set_metadata(elementClass, longName, classification, description, author)
    }
}
