/// First byte of a binary message.
public enum BinaryType {
    /// JSON in UTF-8.
    public static let json: UInt8 = 0
    /// A fragment of a message that exceeds one transport message.
    public static let fragment: UInt8 = 1
    /// A chunk of audio of the player role.
    public static let audio: UInt8 = 4
    /// Images of the artwork role, one type for each of its four channels.
    public static let artwork: ClosedRange<UInt8> = 8...11
    /// A chunk of captured audio of the source role, from the client.
    public static let capturedAudio: UInt8 = 12
    /// Data of the visualizer role, one type for each `VisualizerKind` in the order of its cases.
    public static let visualizer: ClosedRange<UInt8> = 16...20
}
