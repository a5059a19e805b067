import Foundation

/// avahi-daemon on the private bus and on the loopback interface.
///
/// The daemon runs in a mount namespace with a /run of its own, so that several can run beside the daemon of the
/// machine. It requires the packages `avahi-daemon` and `util-linux`.
public final class AvahiDaemon {
    private let daemon: ChildProcess

    private static let configuration = """
        [server]
        host-name=gst-swift-\(getpid())
        allow-interfaces=lo
        use-ipv4=yes
        use-ipv6=yes
        disallow-other-stacks=no
        [wide-area]
        enable-wide-area=no
        [publish]
        publish-hinfo=no
        publish-workstation=no
        """

    /// Command that creates the mount namespace; other users than root become root in a user namespace.
    private static let namespace = ["unshare"] + (geteuid() == 0 ? ["--mount"] : ["--map-root-user", "--mount"])

    /// Whether the machine lets the daemon run; containers may forbid namespaces.
    public static let isPossible: Bool = {
        let command = namespace + ["sh", "-c", "mount -t tmpfs tmpfs /run && command -v avahi-daemon"]
        return (try? ChildProcess(command).succeeds()) == true
    }()

    /// Starts the daemon and returns at once; clients wait until the daemon is ready.
    public init() throws {
        let file = PrivateBus.folder + "/avahi.conf"
        try Self.configuration.write(toFile: file, atomically: true, encoding: .utf8)
        let start = "mount -t tmpfs tmpfs /run && exec avahi-daemon --no-drop-root --no-chroot --no-rlimits -f \(file)"
        daemon = try ChildProcess(Self.namespace + ["sh", "-c", start])
    }

    deinit { end() }

    public func end() { daemon.end() }
}
