import Foundation
@testable import SendspinSecurity
import Testing

@Suite struct StoreDamageTests {
    static let damaged = [
        "", "{", "[]", "null", "{}", #"{"version":"1"}"#, #"{"version":0}"#, #"{"version":-9223372036854775808}"#,
        #"{"version":1.5}"#, #"{"version":1,"#, "\u{0}\u{0}\u{0}", String(repeating: "[", count: 60_000),
    ]

    @Test(
        arguments: damaged + [
            #"{"version":1}"#, #"{"version":1,"secret_key":"AAAA"}"#, #"{"version":1,"secret_key":1}"#,
        ])
    func damagedIdentityIsReportedAndKept(_ text: String) throws {
        let home = try StoreHome()
        try home.write(text, Store.identityName)
        let fault = #expect(throws: StoreError.self) { try home.store.loadIdentity() }
        guard case .malformed(let path, _)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(path == home.path(Store.identityName))
        #expect(try home.text(Store.identityName) == text)
    }

    @Test(arguments: damaged + [#"{"version":1}"#, #"{"version":1,"records":{}}"#])
    func damagedRecordsAreReportedAndSetAside(_ text: String) throws {
        let home = try StoreHome()
        try home.write(text, Store.recordsName)
        let stored = try home.store.loadRecords()
        #expect(stored.value.isEmpty && stored.damage != nil)
        #expect(try home.text(Store.recordsName) == text)
        let record = PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
        try home.store.keep(record)
        #expect(try home.store.loadRecords() == Stored(value: [record], damage: nil))
        #expect(try home.text(Store.recordsName + ".damaged") == text)
        #expect(try home.mode(home.path(Store.recordsName + ".damaged")) == 0o600)
    }

    @Test func otherRecordsAreReadBesideADamagedOne() throws {
        let home = try StoreHome()
        let records = (0..<2).map { _ in PairingRecord(server: KeyPair.generate().publicKey, key: .generate()) }
        for record in records { try home.store.keep(record) }
        let text = try home.text(Store.recordsName)
        let damaged = text.replacingOccurrences(of: records[1].server.id, with: "broken")
        try home.write(damaged, Store.recordsName)
        let stored = try home.store.loadRecords()
        #expect(stored.value == [records[0]])
        #expect(stored.damage != nil)
        // A second damaged file does not replace the first damaged file, which was renamed.
        try home.store.keep(records[1])
        try home.write("{", Store.recordsName)
        try home.store.keep(records[1])
        #expect(try home.text(Store.recordsName + ".damaged") == damaged)
        #expect(try home.text(Store.recordsName + ".damaged-2") == "{")
        #expect(try home.store.loadRecords() == Stored(value: [records[1]], damage: nil))
    }

    @Test(arguments: [
        (#""volume":101"#, SavedState(outputDelay: .milliseconds(7), isMuted: true)),
        (#""volume":"loud""#, SavedState(outputDelay: .milliseconds(7), isMuted: true)),
        (#""volume":1e999"#, SavedState(outputDelay: .milliseconds(7), isMuted: true)),
        (#""last_playback_server":5"#, SavedState(outputDelay: .milliseconds(7), isMuted: true)),
    ])
    func otherMembersOfTheStateAreReadBesideADamagedOne(_ member: String, _ state: SavedState) throws {
        let home = try StoreHome()
        try home.write(#"{"version":1,"output_delay_ms":7,"muted":true,"# + member + "}", Store.stateName)
        let stored = try home.store.loadState()
        #expect(stored.value == state)
        #expect(stored.damage != nil)
    }

    @Test(arguments: ["-1", "5001", "7.5", "99999999999999999999", "null"])
    func outputDelayOutOfRangeIsDamage(_ delay: String) throws {
        let home = try StoreHome()
        try home.write(#"{"version":1,"volume":9,"output_delay_ms":\#(delay)}"#, Store.stateName)
        let stored = try home.store.loadState()
        #expect(stored.value == SavedState(volume: 9))
        #expect(stored.damage != nil)
    }

    @Test func filesOfANewerVersionAreNotChanged() throws {
        let home = try StoreHome()
        let text = #"{"version":2,"records":[]}"#
        for name in [Store.identityName, Store.recordsName, Store.stateName] { try home.write(text, name) }
        let newer = { StoreError.newerVersion(path: home.path($0), version: 2) }
        #expect(throws: newer(Store.identityName)) { try home.store.loadIdentity() }
        #expect(throws: newer(Store.recordsName)) { try home.store.loadRecords() }
        #expect(throws: newer(Store.stateName)) { try home.store.updateState { $0.volume = 1 } }
        let record = PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
        #expect(throws: newer(Store.recordsName)) { try home.store.keep(record) }
        for name in [Store.identityName, Store.recordsName, Store.stateName] { #expect(try home.text(name) == text) }
    }

    @Test func randomBytesNeverTrap() throws {
        let home = try StoreHome()
        _ = try home.store.loadIdentity()
        try home.store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: .generate(), name: "n"))
        try home.store.updateState { $0 = SavedState(lastPlaybackServer: "s", volume: 5) }
        var reported = 0
        for name in [Store.identityName, Store.recordsName, Store.stateName] {
            let original = Array(try home.text(name).utf8)
            for _ in 0..<300 {
                var changed = original
                for _ in 0..<Int.random(in: 1...4) {
                    changed[Int.random(in: changed.indices)] = UInt8.random(in: .min ... .max)
                }
                try home.write(Array(changed.prefix(Int.random(in: 0...changed.count))), name)
                do {
                    if name == Store.identityName { _ = try home.store.loadIdentity() }
                    if try home.store.loadRecords().damage != nil { reported += 1 }
                    if try home.store.loadState().damage != nil { reported += 1 }
                } catch {
                    reported += 1
                }
            }
            try home.write(original, name)
        }
        #expect(reported > 300)
        #expect(try home.store.loadState().damage == nil)
    }

    @Test func messagesDoNotContainKeys() throws {
        let home = try StoreHome()
        let key = PreSharedKey.generate()
        try home.store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: key))
        let text = try home.text(Store.recordsName)
        // The texts are a text that ends directly after the key, and a text whose key has an additional character.
        let cut = try #require(text.range(of: key.revealedText()))
        let damaged = [
            String(text[..<cut.upperBound]),
            text.replacingOccurrences(of: key.revealedText(), with: key.revealedText() + "A"),
        ]
        for content in damaged {
            try home.write(content, Store.recordsName)
            let stored = try home.store.loadRecords()
            let damage = try #require(stored.damage)
            #expect(!"\(damage)".contains(key.revealedText().prefix(8)))
        }
    }
}
