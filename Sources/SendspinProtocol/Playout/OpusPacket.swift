/// Reads the duration of an Opus packet from its first bytes.
public enum OpusPacket {
    /// Number of samples per channel at 48 kHz; nil if the packet is malformed.
    ///
    /// Source: RFC 6716, section 3.1.
    public static func samples(in packet: ArraySlice<UInt8>) -> Int? {
        guard let table = packet.first else { return nil }
        let count: Int
        switch table & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard packet.count > 1 else { return nil }
            count = Int(packet[packet.startIndex + 1] & 63)
        }
        let samples = count * frameSamples(table >> 3)
        return samples > 0 && samples <= 5760 ? samples : nil
    }

    private static func frameSamples(_ configuration: UInt8) -> Int {
        switch configuration {
        case 0...11: [480, 960, 1920, 2880][Int(configuration & 3)]
        case 12...15: configuration & 1 == 0 ? 480 : 960
        default: 120 << Int(configuration & 3)
        }
    }
}
