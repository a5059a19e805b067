import CGStreamer
import Foundation
import GStreamer
import GstTestSupport
import SendspinSecurity
import SendspinProtocol
import Testing
import Threads
import WebSocket

@testable import Sendspin

/// Keys and servers of a client, also with damaged and locked files.
@Suite struct ClientProfileTests {
    private let folder = Setup.newFolder()
    private let element = TestElement("fakesink")
    private let address = WebSocketAddress(host: "192.0.2.1", port: 8927, path: "/sendspin")
    private let server = KeyPair.generate().publicKey
    private let other = KeyPair.generate().publicKey

    private func profile(_ access: UnpairedAccess = .untilPaired) throws -> ClientProfile {
        var settings = SendspinSourceSettings()
        (settings.storageFolder, settings.unpairedAccess) = (folder.path, access)
        return try ClientProfile(settings, ElementHost(unsafe: element.element), SendspinSource.log)
    }

    /// If an unknown server answers at the address in `uri`, it must not become the server of this `uri`.
    @Test func serverThatWasFoundDoesNotReplaceThatOfTheURI() throws {
        let profile = try profile()
        profile.met(other, at: address, isChosen: false)
        #expect(profile.expectedServer(at: address) == nil)
        profile.met(server, at: address, isChosen: true)
        profile.met(other, at: address, isChosen: false)
        #expect(profile.expectedServer(at: address) == server.id)
        profile.close()
        try self.profile(.always).met(other, at: address, isChosen: true)
        #expect(profile.expectedServer(at: address) == server.id)
    }

    @Test func playerOfPairedServersLeavesOthers() throws {
        for (access, isPaired, leaves) in [
            (UnpairedAccess.untilPaired, false, false), (.always, false, false), (.never, false, true),
            (.untilPaired, true, true), (.always, true, true),
        ] {
            let profile = try profile(access)
            if isPaired { profile.keep(PairingRecord(server: server, key: .generate())) }
            _ = profile.credentials()
            #expect(profile.leavesStrangers == leaves, "\(access), paired: \(isPaired)")
            profile.close()
        }
    }

    /// Another connection may read the keys while a pairing is being stored.
    @Test func pairingCountsAtOnce() throws {
        let profile = try profile()
        _ = profile.credentials()
        #expect(profile.allowsUnpairedAccess)
        let lock = folder.appending(path: ".lock")
        let file = open(lock.path, O_RDWR | O_CREAT, 0o600)
        #expect(flock(file, LOCK_EX) == 0)
        let record = PairingRecord(server: server, key: .generate(), name: "new")
        let keeping = TestThread { profile.keep(record) }
        // The thread has opened the lock file of the folder, and waits for the lock.
        #expect(eventually { descriptorCount(of: lock) == 2 })
        let hasRead = Latch()
        let reading = TestThread {
            _ = profile.credentials()
            hasRead.open()
        }
        // If the reading thread did not wait, it would read the file before the pairing is stored.
        hasRead.wait(within: .milliseconds(100))
        close(file)
        for thread in [keeping, reading] { thread.join() }
        #expect(!profile.allowsUnpairedAccess)
        // On a busy machine, the thread may no longer wait for the lock of the folder, so store the pairing again.
        profile.keep(record)
        #expect(profile.access(of: server.id).isPaired && !profile.access(of: other.id).isPaired)
        #expect(profile.removeRecord(of: server.id))
        #expect(profile.allowsUnpairedAccess && !profile.access(of: server.id).isPaired)
    }

    private func descriptorCount(of file: URL) -> Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return files.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file.path
        }
    }

    /// Storing a pairing may wait for the lock of the folder for up to 2 s.
    @Test func messageDoesNotWaitForAPairingThatIsStored() throws {
        let profile = try profile()
        _ = profile.credentials()
        let lock = folder.appending(path: ".lock")
        let file = open(lock.path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        #expect(flock(file, LOCK_EX) == 0)
        let isFast = (0..<5).contains { _ in
            let hasKept = Latch()
            let keeping = TestThread {
                profile.keep(PairingRecord(server: server, key: .generate()))
                hasKept.open()
            }
            defer { keeping.join() }
            #expect(eventually { descriptorCount(of: lock) == 2 || hasKept.wait(within: .zero) })
            let start = MonotonicClock.now
            _ = profile.access(of: server.id).isPaired
            return MonotonicClock.now - start < .milliseconds(100)
        }
        #expect(isFast)
    }

    @Test func damageIsPostedOnceAndKeepsOthersOut() throws {
        let profile = try profile()
        profile.keep(PairingRecord(server: server, key: .generate()))
        for name in [Store.recordsName, Store.serversName] {
            let file = folder.appending(path: name)
            try Data("{".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        for _ in 0..<3 {
            _ = profile.credentials()
            #expect(!profile.allowsUnpairedAccess)
            #expect(profile.leavesStrangers)
            #expect(profile.access(of: other.id).isPaired)
            #expect(!profile.mayBeUnencrypted(address))
            #expect(profile.expectedServer(at: address) == "")
            // If the file cannot be read, a server with a key must not replace it.
            profile.met(server, at: address, isChosen: true)
        }
        let warnings = element.messages().filter { $0.type == "warning" }
        #expect(warnings.count == 2)
        for name in [Store.recordsName, Store.serversName] {
            #expect(warnings.count { $0.text.contains("\(name)\" is damaged") } == 1, "\(warnings)")
        }
    }

    @Test func serverThatIsAcceptedMustStillEncrypt() throws {
        let profile = try profile()
        #expect(profile.mayBeUnencrypted(address))
        profile.met(server, at: address, isChosen: true)
        #expect(!profile.mayBeUnencrypted(address))
        profile.remember(nil, at: address)
        #expect(profile.expectedServer(at: address) == nil)
        #expect(!profile.mayBeUnencrypted(address))
    }
}
