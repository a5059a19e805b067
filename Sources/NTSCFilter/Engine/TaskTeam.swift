import CGStreamer
import GStreamer
import Threads

private let log = DebugCategory("taskteam", "Threads that share the work on a frame")

/// Work that a team shares, cut into bands.
public protocol TeamWork: AnyObject {
    /// Does one band; called by several threads at once, each with another band.
    func perform(band: Int)
}

/// Threads from GStreamer's own pool that share the work on a frame.
///
/// The thread that calls `run` is one of the members, so a team of one has no thread of its own, and a team whose
/// threads could not be had does all the work on the caller's. Make it in `start` or `configure`, `close` it in `stop`.
/// The corresponding C type is `GstTaskPool`.
public final class TaskTeam: @unchecked Sendable {  // All that changes is in `shared`, guarded by its mutex.
    private let shared: Shared
    private var pool: UnsafeMutablePointer<GstTaskPool>?
    private var handles: [gpointer?] = []
    /// A task that could not get a thread stays in the pool's queue, and the pool would wait for it for ever.
    private var hasStuckTask = false

    /// How many threads this machine can run at once.
    public static var processorCount: Int { Int(g_get_num_processors()) }

    /// The threads that work, the caller's included.
    public private(set) var memberCount = 1

    /// Takes `members - 1` threads out of a new pool.
    public init(members: Int) {
        shared = Shared()
        guard members > 1, let pool = gst_task_pool_new() else { return }
        self.pool = pool
        var failure: UnsafeMutablePointer<GError>?
        gst_task_pool_prepare(pool, &failure)
        while failure == nil && memberCount < members {
            let task = Unmanaged.passRetained(shared)
            let handle = gst_task_pool_push(pool, { TaskTeam.work($0) }, task.toOpaque(), &failure)
            if failure == nil {
                handles.append(handle)
                memberCount += 1
            } else {
                hasStuckTask = true
            }
        }
        if let failure {
            log.warning(nil, "no more threads: \(String(cString: failure.pointee.message))")
            g_error_free(failure)
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

    /// Gives the threads back, when they have ended; `run` goes on to work, on the caller's thread.
    public func close() {
        guard let pool else { return }
        self.pool = nil
        memberCount = 1
        shared.lock()
        shared.dismiss()
        shared.unlock()
        for handle in handles { gst_task_pool_join(pool, handle) }
        handles = []
        guard !hasStuckTask else { return }
        gst_task_pool_cleanup(pool)
        gst_object_unref(pool)
    }

    /// The function of a thread of the pool, from its beginning to its end.
    private static func work(_ task: UnsafeMutableRawPointer?) {
        guard let task else { return }
        let shared = Unmanaged<Shared>.fromOpaque(task).takeRetainedValue()
        shared.lock()
        while shared.waitForWork() { shared.workUntilNoneIsLeft() }
        shared.unlock()
    }
}

/// State that the threads of a team share; all methods but `lock` are called under the lock.
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
    func waitForWork() -> Bool {
        while nextBand >= bandCount && !isDismissed { mutex.wait(Condition.work, until: nil) }
        return !isDismissed
    }

    func dismiss() {
        isDismissed = true
        mutex.wake(Condition.work)
    }
}
