import GStreamer
import SendspinSecurity

/// Property `pairing-code`: how the application shows a pairing code.
enum PairingCodeDisplay: Int32, PropertyChoice {
    case none, digits, qrCode
    static let typeName = "GstSendspinPairingCode"
    var nick: String { ["none", "digits", "qr-code"][Int(rawValue)] }
    var summary: String {
        switch self {
        case .none: "Not at all: servers pair with the token only"
        case .digits: "As six digits"
        case .qrCode: "As six digits, or as a QR code, whichever the server requests"
        }
    }

    var formats: [PairingCode.Format] {
        switch self {
        case .none: []
        case .digits: [.digits]
        case .qrCode: [.digits, .qrCode]
        }
    }
}
