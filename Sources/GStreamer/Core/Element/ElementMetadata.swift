import CGStreamer

/// Name, classification, description and author of an element or a device provider, as `gst-inspect-1.0` prints them.
public struct ElementMetadata: Sendable {
    let longName, classification, description, author: String

    /// `classification` has the form `Filter/Effect/Video`; `description` states the purpose in one sentence.
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

    func install(on providerClass: UnsafeMutablePointer<GstDeviceProviderClass>) {
        gst_device_provider_class_set_metadata(providerClass, longName, classification, description, author)
    }
}
