import CSystem

/// Work that a team shares, cut into bands.
public protocol TeamWork: AnyObject {
    /// Does one band; called by several threads at once, each with another band.
    func perform(band: Int)
}

/// Threads that share the work on a frame.
///
/// The thread that calls `run` is one of the members, so a team of one has no thread of its own, and a team whose
/// threads could not be had does all the work on the caller's. Make it in `start` or `configure`, `close` it in `stop`.
/// A `GstTaskPool` is not used: GLib hands its tasks to idle threads, which do not exist in a forked child.
public final class TaskTeam: @unchecked Sendable {  // All that threads change is in `shared`, guarded by its mutex.
    private let shared = Shared()
    private var workers: [Worker] = []

    /// The number of processors that this process may run on.
    public static var processorCount: Int { max(Int(cprocessor_count()), 1) }

    /// The threads that work, the caller's included.
    public var memberCount: Int { workers.count + 1 }

    /// Starts `members - 1` threads, or fewer if the system permits no more.
    public init(members: Int) {
        while memberCount < members {
            guard let worker = Worker.start("taskteam", { [shared] in shared.perform() }) else { return }
            workers.append(worker)
        }
    }

    deinit { close() }

    /// Has every band of `0..<jobs` done once, and returns when all are done.
    ///
    /// One run at a time; allocates nothing.
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

    /// Waits for the end of the threads; `run` goes on to work, on the caller's thread.
    public func close() {
        shared.lock()
        shared.dismiss()
        shared.unlock()
        for worker in workers { worker.join() }
        workers = []
    }
}

/// State that the threads of a team share; all methods but `lock` and `perform` are called under the lock.
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

    /// The work of a thread, from its start to its end.
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

    /// False when the team is dismissed.
    private func waitForWork() -> Bool {
        while nextBand >= bandCount && !isDismissed { mutex.wait(Condition.work, until: nil) }
        return !isDismissed
    }

    func dismiss() {
        isDismissed = true
        mutex.wake(Condition.work)
    }
}
