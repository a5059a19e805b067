import Foundation
import SendspinSecurity
import Testing

@Suite struct StoreSafetyTests {
    @Test(arguments: [0o640, 0o604, 0o660, 0o666, 0o777])
    func readableKeysAreRefusedWithTheCure(_ mode: Int) throws {
        let home = try StoreHome()
        let identity = try home.store.loadIdentity()
        let file = home.path(Store.identityName)
        try home.setMode(mode, file)
        let fault = StoreError.unsafePermissions(path: file, mode: UInt32(mode), isFolder: false)
        #expect(throws: fault) { try home.store.loadIdentity() }
        #expect("\(fault)".contains("chmod 600 \"\(file)\""))
        try home.setMode(0o600, file)
        #expect(try home.store.loadIdentity() == identity)
    }

    @Test(arguments: [0o770, 0o722, 0o777, 0o1777])
    func folderThatOthersMayWriteIsRefused(_ mode: Int) throws {
        let home = try StoreHome()
        _ = try home.store.loadIdentity()
        try home.setMode(mode, home.folder)
        let fault = StoreError.unsafePermissions(path: home.folder, mode: UInt32(mode), isFolder: true)
        #expect(throws: fault) { try home.store.loadIdentity() }
        // Programs share folders such as /tmp, whose mode must not be changed.
        #expect("\(fault)".contains("Choose a folder that only this player uses, such as"))
        #expect(!"\(fault)".contains("chmod"))
    }

    @Test(arguments: [(0o777, true), (0o757, true), (0o1777, false), (0o755, false), (0o775, false)])
    func folderThatOthersMayRenameIsRefused(mode: Int, isRefused: Bool) throws {
        let home = try StoreHome()
        _ = try home.store.loadIdentity()
        let parent = (home.folder as NSString).deletingLastPathComponent
        try home.setMode(mode, parent)
        guard isRefused else {
            #expect(throws: Never.self) { try home.store.loadIdentity() }
            return
        }
        #expect(throws: StoreError.unsafePlace(path: home.folder, place: parent)) { try home.store.loadIdentity() }
        // The folder is also refused if the path contains a link of this user.
        let link = FileManager.default.temporaryDirectory.appendingPathComponent("link-\(UUID().uuidString)").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.folder)
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(throws: StoreError.unsafePlace(path: link, place: parent)) { try Store(folder: link).loadIdentity() }
    }

    /// Only root can give a file to another user.
    @Test(.enabled(if: geteuid() == 0)) func linkAndParentOfAnotherUserAreRefused() throws {
        let home = try StoreHome()
        _ = try home.store.loadIdentity()
        let parent = (home.folder as NSString).deletingLastPathComponent
        // In a folder such as /tmp, the kernel itself may refuse a link of another user (protected_symlinks).
        let link = parent + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: home.folder)
        #expect(throws: Never.self) { try Store(folder: link).loadIdentity() }
        try #require(lchown(link, 65_534, 65_534) == 0)
        #expect(throws: StoreError.unsafePlace(path: link, place: link)) { try Store(folder: link).loadIdentity() }
        try #require(lchown(parent, 65_534, 65_534) == 0)
        #expect(throws: StoreError.unsafePlace(path: home.folder, place: parent)) { try home.store.loadIdentity() }
    }

    @Test func linksPipesAndFoldersAreRefused() throws {
        let home = try StoreHome()
        _ = try home.store.loadPairingKey()
        let file = home.path(Store.identityName)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: home.path(Store.pairingKeyName))
        #expect(throws: StoreError.notAFile(path: file)) { try home.store.loadIdentity() }
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        #expect(throws: StoreError.notAFile(path: file)) { try home.store.loadIdentity() }
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(throws: StoreError.notAFile(path: file)) { try home.store.loadIdentity() }
    }

    @Test func largeFileIsRefused() throws {
        let home = try StoreHome()
        try home.write([UInt8](repeating: 32, count: 65_537), Store.recordsName)
        let fault = StoreError.tooLarge(path: home.path(Store.recordsName), limit: 65_536)
        #expect(throws: fault) { try home.store.loadRecords() }
        let record = PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
        #expect(throws: fault) { try home.store.keep(record) }
    }

    @Test func impossibleFolderIsReported() throws {
        for path in ["/proc/none/here", "/dev/null/x", "", "/dev/null"] {
            let fault = #expect(throws: StoreError.self) { try Store(folder: path).loadIdentity() }
            guard case .folderUnavailable(path, _)? = fault else {
                Issue.record("\(path): \(String(describing: fault))")
                continue
            }
        }
    }

    @Test func stoppedProcessDoesNotBlockForever() throws {
        let home = try StoreHome()
        try home.store.updateState { $0.volume = 1 }
        let file = open(home.path(".lock"), O_RDWR)
        defer { close(file) }
        #expect(flock(file, LOCK_EX) == 0)
        let store = Store(folder: home.folder, patience: .milliseconds(30))
        #expect(throws: StoreError.locked(path: home.path(".lock"))) { try store.updateState { $0.volume = 2 } }
        // The store needs no lock to read.
        #expect(try store.loadState().value.volume == 1)
        #expect(flock(file, LOCK_UN) == 0)
        try store.updateState { $0.volume = 2 }
        #expect(try store.loadState().value.volume == 2)
    }
}
