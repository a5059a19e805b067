import Glibc

/// A running program, which ends when the object is released or `end` is called.
///
/// With Foundation's `Process`, the program would inherit the signal mask of a pool thread, which blocks SIGTERM.
final class ChildProcess {
    private var identity: pid_t = 0
    /// Read end of the pipe to which the program writes its output.
    private let output: CInt
    private var status: CInt?

    /// Starts a program from the folders of the system, and discards its standard error.
    init(_ arguments: [String]) throws {
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else { throw Failure(number: errno) }
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(pipe[1]) }
        output = pipe[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // If this process is killed, `timeout` ends the program after 120 s.
        let start = ["/usr/bin/env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "timeout", "-k", "1", "120"]
        let words = (start + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        let failure = posix_spawn(&identity, "/usr/bin/env", &actions, &attributes, words + [nil], environ)
        guard failure == 0 else {
            close(output)
            throw Failure(number: failure)
        }
    }

    /// The program could not be started; `number` is the `errno`.
    struct Failure: Error {
        let number: CInt
    }

    deinit {
        end()
        close(output)
    }

    /// Waits for the first output; returns false if the program ends without output.
    func awaitOutput() -> Bool {
        var byte: UInt8 = 0
        return read(output, &byte, 1) == 1
    }

    /// Waits for the end of the program; returns true if its exit status is 0.
    func succeeds() -> Bool {
        if status == nil {
            var result: CInt = -1
            waitpid(identity, &result, 0)
            status = result
        }
        return status == 0
    }

    func end() {
        guard status == nil else { return }
        kill(identity, SIGTERM)
        _ = succeeds()
    }
}
