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

    /// Format of the code that the server selects; nil without a code.
    public var codeFormat: String?

    /// The method with the pairing key, which every client has.
    public static let pairingKeyMethod = "pairing_psk"
    /// The method with a code for each attempt.
    public static let codeMethod = "dynamic_pairing_code"
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
        let pairing = try reader.optionalObject("pairing")
        pairingMethod = try pairing?.string("method")
        codeFormat = try pairing?.optionalString("format")
    }
}
