import JSON

/// Payload of `server/activate`: the activities of the connection.
public struct ServerActivation: Equatable, Sendable {
    /// Known activities.
    public var activities: Set<Activity>
    /// Names of unknown activities.
    public var unknownActivities: [String] = []
    /// Active roles with their versions; nil if unchanged.
    public var roles: [String]?
    /// Pairing method that the server selects; nil without pairing.
    public var pairingMethod: String?

    /// The only pairing method of this client.
    public static let pairingKeyMethod = "pairing_psk"
}

extension ServerActivation {
    init(_ reader: FieldReader) throws(WireFault) {
        activities = []
        unknownActivities = []
        for name in try reader.strings("activities") {
            if let activity = Activity(rawValue: name) {
                activities.insert(activity)
            } else {
                unknownActivities.append(name)
            }
        }
        roles = try reader.optionalStrings("active_roles")
        pairingMethod = try reader.optionalObject("pairing")?.string("method")
    }
}
