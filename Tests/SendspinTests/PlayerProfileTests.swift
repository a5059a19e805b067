import CGStreamer
import Foundation
import GStreamer
import GstTestSupport
import SendspinNoise
import SendspinSession
import SendspinStore
import Testing
import WebSocketConnection

@testable import Sendspin

/// Keys and servers of a player, whose files tests damage and lock.
@Suite struct PlayerProfileTests {
    private let folder = Setup.newFolder()
    private let element = TestElement("fakesink")
    private let address = WebSocketAddress(host: "192.0.2.1", port: 8927, path: "/sendspin")
    private let server = KeyPair.generate().publicKey
    private let other = KeyPair.generate().publicKey

    private func profile(_ access: UnpairedAccess = .untilPaired) throws -> PlayerProfile {
        var settings = SendspinSourceSettings()
        (settings.storageFolder, settings.unpairedAccess) = (folder.path, access)
        return try PlayerProfile(settings, [.flac], ElementHost(unsafe: element.element))
    }

    /// A stranger who is found at the address of `uri` must not become its server.
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
