/// A device that an element can open, such as a sound card or a server.
///
/// The corresponding C type is `GstDevice`.
public struct Device: Sendable, Equatable {
    /// The name that applications show to users.
    public var name: String
    /// The device class, such as `Audio/Source`; applications filter devices by their class.
    public var classification: String
    /// The caps of the data that the device produces or consumes.
    public var caps: Caps
    /// Additional properties of the device, for applications.
    public var properties: Structure
    /// The factory name of the element that opens the device.
    public var factory: String
    /// Values for properties of the element that opens the device, by property name.
    public var settings: [String: Structure.Value]

    /// A device that the element `factory` opens with the properties `settings`.
    public init(
        _ name: String, classification: String, caps: Caps, properties: Structure, factory: String,
        settings: [String: Structure.Value]
    ) {
        self.name = name
        self.classification = classification
        self.caps = caps
        self.properties = properties
        self.factory = factory
        self.settings = settings
    }
}
