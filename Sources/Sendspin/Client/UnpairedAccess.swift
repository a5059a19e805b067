import GStreamer

/// Property `unpaired-access`: when a server that is not paired with this player may play.
enum UnpairedAccess: Int32, PropertyChoice {
    case untilPaired, never, always
    static let typeName = "GstSendspinUnpairedAccess"
    var nick: String { ["until-paired", "never", "always"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .untilPaired: "Any server may play until this player is paired; then paired servers only"
        case .never: "Only paired servers may play"
        case .always: "Any server may play; a paired one displaces it"
        }
    }
}
