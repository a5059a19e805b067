import Foundation
@testable import SendspinSecurity
import Testing

@Suite struct StoreTests {
    @Test func identityAndPairingKeyRemainTheSame() throws {
        let home = try StoreHome()
        let (identity, key) = (try home.store.loadIdentity(), try home.store.loadPairingKey())
        #expect(try home.store.loadIdentity() == identity)
        #expect(try Store(folder: home.folder).loadIdentity() == identity)
        #expect(try home.store.loadPairingKey() == key)
        #expect(try StoreHome().store.loadIdentity() != identity)
    }

    @Test func filesAndFolderAreOpenToTheOwnerOnly() throws {
        let home = try StoreHome()
        let mask = umask(0)
        defer { umask(mask) }
        _ = try home.store.loadIdentity()
        _ = try home.store.loadPairingKey()
        try home.store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: .generate()))
        try home.store.updateState { $0.volume = 3 }
        #expect(try home.mode(home.folder) == 0o700)
        #expect(try home.names() == [".lock", "identity.json", "pairing-key.json", "pairings.json", "state.json"])
        for name in try home.names() { #expect(try home.mode(home.path(name)) == 0o600, "\(name)") }
    }

    @Test func recordsAreKeptInTheOrderOfUse() throws {
        let home = try StoreHome()
        #expect(try home.store.loadRecords() == Stored(value: [], damage: nil))
        let records = (0..<3).map {
            PairingRecord(server: KeyPair.generate().publicKey, key: .generate(), name: "kitchen \($0) \"ä\u{1}")
        }
        for record in records { try home.store.keep(record) }
        #expect(try home.store.loadRecords().value == records.reversed())
        try home.store.markUsed(records[1].server)
        #expect(try home.store.loadRecords().value == [records[1], records[2], records[0]])
        var renamed = records[0]
        renamed.key = .generate()
        try home.store.keep(renamed)
        #expect(try home.store.loadRecords().value == [renamed, records[1], records[2]])
        #expect(try home.store.removeRecord(of: records[1].server))
        #expect(try home.store.loadRecords().value == [renamed, records[2]])
        #expect(try !home.store.removeRecord(of: records[1].server))
        try home.store.markUsed(records[1].server)
        #expect(try home.store.loadRecords().value == [renamed, records[2]])
    }

    @Test func leastRecentlyUsedRecordIsRemovedFirst() throws {
        let home = try StoreHome()
        let records = (0..<Store.maximumRecordCount).map { _ in
            PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
        }
        for record in records { try home.store.keep(record) }
        try home.store.markUsed(records[0].server)
        let new = PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
        try home.store.keep(new)
        let stored = try home.store.loadRecords().value
        #expect(stored.count == Store.maximumRecordCount)
        #expect(Array(stored.prefix(2)) == [new, records[0]])
        #expect(!stored.contains(records[1]))
    }

    @Test func serversAreRememberedByTheirAddress() throws {
        let home = try StoreHome()
        let (first, second) = (KeyPair.generate().publicKey, KeyPair.generate().publicKey)
        try home.store.remember(first, at: "a")
        try home.store.remember(first, at: "b")
        try home.store.remember(second, at: "a")
        #expect(
            try home.store.loadServers().value == [
                KnownServer(address: "a", identity: second), KnownServer(address: "b", identity: first),
            ])
        // If the identity is nil, any identity is accepted at the address, but no connection without encryption.
        try home.store.remember(nil, at: "a")
        #expect(
            try home.store.loadServers().value == [
                KnownServer(address: "a", identity: nil), KnownServer(address: "b", identity: first),
            ])
        // `meet` does not replace an identity that is already stored.
        try home.store.meet(nil, at: "b")
        try home.store.meet(second, at: "a")
        try home.store.meet(nil, at: "c")
        #expect(try home.store.loadServers().value.map(\.address) == ["c", "a", "b"])
        #expect(try home.store.loadServers().value.map(\.identity) == [nil, second, first])
        for text in [#"{"address":"a"}"#, #"{"address":"a","server_id":"x"}"#, #"{"server_id":null}"#] {
            try home.write(#"{"version":1,"servers":[\#(text)]}"#, Store.serversName)
            let damage = try #require(try home.store.loadServers().damage, "\(text)")
            #expect(throws: damage) { try home.store.meet(first, at: "a") }
            #expect(try home.store.loadServers().damage == damage)
        }
    }

    /// A player without `uri` may find many servers that a stranger announces.
    @Test func serversWithoutIdentityPushOutNoOther() throws {
        let home = try StoreHome()
        let (first, second) = (KeyPair.generate().publicKey, KeyPair.generate().publicKey)
        try home.store.remember(first, at: "chosen")
        for number in 0..<Store.maximumServerCount { try home.store.remember(nil, at: "\(number)") }
        var servers = try home.store.loadServers().value
        #expect(servers.count == Store.maximumServerCount)
        #expect(servers.suffix(2).map(\.address) == ["1", "chosen"])
        #expect(servers.last?.identity == first)
        for number in 0..<Store.maximumServerCount { try home.store.remember(second, at: "\(number)") }
        try home.store.remember(nil, at: "stranger")
        servers = try home.store.loadServers().value
        #expect(servers.count == Store.maximumServerCount)
        #expect(servers.allSatisfy { $0.identity == second })
    }

    @Test func stateIsKeptWithinItsRanges() throws {
        let home = try StoreHome()
        #expect(try home.store.loadState() == Stored(value: SavedState(), damage: nil))
        let state = SavedState(
            lastPlaybackServer: "a server", outputDelay: .milliseconds(1_234), volume: 42, isMuted: true)
        try home.store.updateState { $0 = state }
        #expect(try home.store.loadState() == Stored(value: state, damage: nil))
        try home.store.updateState {
            $0 = SavedState(
                lastPlaybackServer: String(repeating: "ä", count: 1_000), outputDelay: .seconds(1_000_000), volume: .max
            )
        }
        let clamped = SavedState(
            lastPlaybackServer: String(repeating: "ä", count: 128), outputDelay: .seconds(5), volume: 100)
        #expect(try home.store.loadState() == Stored(value: clamped, damage: nil))
        try home.store.updateState { $0 = SavedState(outputDelay: .seconds(-1), volume: .min) }
        #expect(try home.store.loadState() == Stored(value: SavedState(volume: 0), damage: nil))
    }

    @Test func longNameOfAServerIsShortened() throws {
        let home = try StoreHome()
        let server = KeyPair.generate().publicKey
        for _ in 0..<2 {
            for _ in 0..<Store.maximumRecordCount {
                let name = String(repeating: "🙂", count: 100_000)
                try home.store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: .generate(), name: name))
            }
            try home.store.keep(PairingRecord(server: server, key: .generate(), name: "x"))
        }
        #expect(try home.store.loadRecords().value.map(\.name.utf8.count).max() == 256)
    }

    @Test func unchangedStateIsNotWritten() throws {
        let home = try StoreHome()
        try home.store.updateState { $0.volume = 1 }
        let number = {
            try FileManager.default.attributesOfItem(atPath: home.path("state.json"))[.systemFileNumber] as? Int
        }
        let before = try number()
        try home.store.updateState { $0.volume = 1 }
        #expect(try number() == before)
        try home.store.updateState { $0.volume = 2 }
        #expect(try number() != before)
    }
}
