import CSystem

/// Work of a team, divided into bands.
public protocol TeamWork: AnyObject {
    /// Processes a band; several threads call this concurrently with different bands.
    func perform(band: Int)
}

/// Threads that share the work on a frame.
///
/// The thread that calls `run` is a member, so a team of one starts no thread. If the system cannot start threads, the
/// caller does all the work. Create a team in `start` or `configure`, and `close` it in `stop`. `GstTaskPool` is not
/// used, because GLib assigns its tasks to idle threads, which do not exist in a forked child.
public final class TaskTeam: @unchecked Sendable {  // Threads change only `shared`, which has a mutex.
    private let shared = Shared()
    private var workers: [Worker] = []

    /// Number of processors that this process may use.
    public static var processorCount: Int { max(Int(cprocessor_count()), 1) }

    /// Number of threads, including the caller's.
    public var memberCount: Int { workers.count + 1 }

    /// Starts `members - 1` threads, or fewer if the system does not permit more.
    public init(members: Int) {
        while memberCount < members {
            guard let worker = Worker.start("taskteam", { [shared] in shared.perform() }) else { return }
            workers.append(worker)
        }
    }

    deinit { close() }

    /// Processes each band of `0..<jobs` once, and returns when all bands are done.
    ///
    /// Only one call at a time is permitted. A call allocates no memory.
    public func run(_ work: some TeamWork, jobs: Int) {
        guard memberCount > 1, jobs > 1 else {
            var band = 0
            while band < jobs {
                work.perform(band: band)
                band += 1
            }
            return
        }
        shared.lock()
        shared.begin(work, jobs: jobs)
        shared.workUntilNoneIsLeft()
        shared.waitUntilDone()
        shared.unlock()
    }

    /// Joins the threads; later, `run` works on the caller's thread only.
    public func close() {
        shared.lock()
        shared.dismiss()
        shared.unlock()
        for worker in workers { worker.join() }
        workers = []
    }
}

/// Shared state of a team; the mutex is locked for all methods except `lock` and `perform`.
private final class Shared: @unchecked Sendable {  // Guarded by `mutex`.
    private enum Condition {
        static let work = 0
        static let done = 1
    }

    private let mutex = ConditionMutex(conditions: 2)
    private var work: (any TeamWork)?
    private var nextBand = 0
    private var bandCount = 0
    private var unfinished = 0
    private var isDismissed = false

    func lock() { mutex.lock() }
    func unlock() { mutex.unlock() }

    func perform() {
        lock()
        while waitForWork() { workUntilNoneIsLeft() }
        unlock()
    }

    func begin(_ work: any TeamWork, jobs: Int) {
        self.work = work
        nextBand = 0
        bandCount = jobs
        unfinished = jobs
        mutex.wake(Condition.work)
    }

    func workUntilNoneIsLeft() {
        while nextBand < bandCount, let work {
            let band = nextBand
            nextBand += 1
            unlock()
            work.perform(band: band)
            lock()
            unfinished -= 1
            if unfinished == 0 { mutex.wake(Condition.done) }
        }
    }

    func waitUntilDone() {
        while unfinished > 0 { mutex.wait(Condition.done, until: nil) }
        work = nil
        bandCount = 0
    }

    /// Waits until a band is left; returns false after `dismiss`.
    private func waitForWork() -> Bool {
        while nextBand >= bandCount && !isDismissed { mutex.wait(Condition.work, until: nil) }
        return !isDismissed
    }

    func dismiss() {
        isDismissed = true
        mutex.wake(Condition.work)
    }
}
