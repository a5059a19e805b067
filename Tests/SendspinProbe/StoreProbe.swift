import Glibc
import SendspinSecurity

/// Uses a store in a separate process.
///
///     SendspinProbe store identity <folder>          prints the public key and the id of the pairing key
///     SendspinProbe store keep <folder> <count>      stores pairings and prints their servers
///     SendspinProbe store count <folder> <count>     increases the stored volume <count> times
///     SendspinProbe store full <folder>              stores a pairing when no file can grow
///     SendspinProbe store forever <folder>           prints a line and changes pairings until it is killed
struct StoreProbe {
    static func run(_ command: String, _ folder: String, _ count: Int) throws {
        let store = Store(folder: folder, patience: .seconds(60))
        switch command {
        case "identity": print(try store.loadIdentity().publicKey, try store.loadPairingKey().id)
        case "keep":
            for _ in 0..<count {
                let record = PairingRecord(server: KeyPair.generate().publicKey, key: .generate())
                try store.keep(record)
                print(record.server)
            }
        case "count": for _ in 0..<count { try store.updateState { $0.volume = ($0.volume ?? 0) + 1 } }
        case "full": try keepWithoutSpace(store)
        case "forever":
            print("started")
            fflush(nil)
            while true { try store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: .generate())) }
        default: print("unknown command")
        }
    }

    /// Limits the size of files to 16 bytes, so that a write fails in the middle, as on a full disk.
    static func keepWithoutSpace(_ store: Store) throws {
        // If SIGXFSZ was not ignored, a write beyond the limit would end the process.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 16, rlim_max: 16)
        guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return print("no limit") }
        do throws(StoreError) {
            try store.keep(PairingRecord(server: KeyPair.generate().publicKey, key: .generate()))
            print("stored")
        } catch {
            if case .unwritable = error { print("unwritable") } else { print("other") }
        }
    }
}
