import JSON
@testable import SendspinProtocol
import Testing

@Suite struct PeerTextTests {
    @Test(arguments: [
        ("Küche 🎵", "Küche 🎵"), ("", ""), ("\u{1B}]0;owned\u{7}\r\nB\u{9B}\u{7F}\u{0}C", " ]0;owned   B   C"),
        ("a\u{2028}b\u{2029}c", "a b c"), ("\u{202E}evil\u{2066}\u{200F}\u{061C}", "evil"),
        ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("Ki\u{200B}t\u{AD}ch\u{FEFF}en\u{2060}\u{E0041}\u{E007F}\u{E0000}", "Kitchen"),
    ])
    func controlAndFormatCharactersDoNotPass(text: String, shown: String) {
        #expect(PeerText.make(text) == shown)
    }

    @Test func longTextIsCutAtACharacter() {
        #expect(PeerText.make(String(repeating: "x", count: 256)).utf8.count == 256)
        #expect(PeerText.make(String(repeating: "x", count: 257)) == String(repeating: "x", count: 253) + "…")
        for (character, size) in [("é", 2), ("€", 3), ("🎵", 4)] {
            let shown = PeerText.make("x" + String(repeating: character, count: 100_000))
            #expect(shown == "x" + String(repeating: character, count: 252 / size) + "…")
        }
        #expect(PeerText.make("€€€€", limit: 4) == "…")
    }

    @Test(arguments: [
        #"{"type":"group/update","payload":{"group_name":"?"}}"#, #"{"type":"server/hello","payload":{"name":"?"}}"#,
        #"{"type":"server/error","payload":{"reason":"?"}}"#, #"{"type":"pair/abort","payload":{"reason":"?"}}"#,
        #"{"type":"server/state","payload":{"metadata":{"timestamp":1,"title":"?"}}}"#,
        #"{"type":"server/state","payload":{"metadata":{"timestamp":1,"artist":"?"}}}"#,
        #"{"type":"server/state","payload":{"metadata":{"timestamp":1,"album":"?"}}}"#,
        #"{"type":"server/state","payload":{"metadata":{"timestamp":1,"album_artist":"?"}}}"#,
    ])
    func textsOfMessagesAreForTheScreen(message: String) throws {
        func parsed(_ text: String) throws -> ServerMessage? {
            let text = message.replacing("?", with: text)
            return try ServerMessage(parsing: try JSONValue(parsing: Array(text.utf8)))
        }
        #expect(try parsed(#"a\u001bb"#) == parsed("a b"))
        #expect(try parsed(String(repeating: "x", count: 10_000)) == parsed(String(repeating: "x", count: 253) + "…"))
    }

    /// Identifiers distinguish groups, so they are not shortened.
    @Test func identifiersRemain() throws {
        let id = String(repeating: "x", count: 1_000)
        let text = #"{"type":"group/update","payload":{"group_id":"\#(id)"}}"#
        let update = GroupUpdate(playback: nil, groupID: id, groupName: nil)
        #expect(try ServerMessage(parsing: try JSONValue(parsing: Array(text.utf8))) == .group(update))
    }
}
