import GStreamer
import ThermalPolicy
import Threads

extension CapsStream {
    // MARK: The streaming thread

    /// Negotiates the first candidate of the plan that downstream accepts; `isNew` is true if `caps` have just arrived.
    func negotiate(_ caps: Caps, isNew: Bool) -> Bool {
        guard let scaler else { return false }
        input = caps
        guard let video = VideoCaps(caps) else { return send(caps, scaler) }
        let (candidates, change, order) = plan.withLock { plan in
            let change = isNew ? plan.receive(video) : CapsPlan.CapsChange()
            return (plan.candidates(for: video), change, plan.order)
        }
        if change.isOther { wakeEngine() }
        if change.mustRequest { requestUpstream() }
        if change.isOtherRate { host.postLatencyChanged() }
        setBorders(false, scaler)
        for candidate in candidates {
            guard let output = accepted(candidate, video, caps) else { continue }
            let wanted = output.applied(to: caps, of: video, hasSquarePixels: true)
            // This bin changes the rate, and the scaler changes the size.
            var entering = video
            entering.rate = output.rate ?? video.rate
            target = wanted
            if send(entering.applied(to: caps, of: video).withAspectRatio(of: wanted), scaler) {
                noteNegotiated(video, output, order)
                return true
            }
        }
        // Without a target, the scaler selects its output caps.
        target = nil
        setBorders(true, scaler)
        guard send(caps, scaler) else { return false }
        noteNegotiated(video, source.currentCaps.flatMap { VideoCaps($0) } ?? video, order)
        return true
    }

    /// Sends a RECONFIGURE event upstream if the plan requests other caps.
    ///
    /// The streaming thread calls this function between two frames, because a capsfilter with new caps refuses a frame
    /// with old caps.
    func sendRequest() {
        guard let input, let video = VideoCaps(input) else { return }
        let offers = offers(like: input)
        if plan.withLock({ $0.request(from: offers, sending: video, at: MonotonicClock.now) }),
            let event = Event.reconfigure()
        {
            sink.push(event)
        }
    }

    func noteNegotiated() {
        guard let scaler else { return }
        let (entering, leaving) = (scaler.sink.currentCaps, scaler.source.currentCaps)
        isPassthrough = entering != nil && entering == leaving
    }

    private func noteNegotiated(_ input: VideoCaps, _ output: VideoCaps, _ order: CapsPlan.Order) {
        let now = MonotonicClock.now
        let (isPaced, isOther) = plan.withLock { plan in
            let before = plan.made(at: now)
            return (plan.negotiated(input, output, under: order), plan.made(at: now) != before)
        }
        self.isPaced.store(isPaced, ordering: .relaxed)
        if isOther { wakeEngine() }
    }

    /// Returns the candidate or the nearest caps that downstream accepts; some encoders accept only whole blocks.
    private func accepted(_ candidate: VideoCaps, _ video: VideoCaps, _ caps: Caps) -> VideoCaps? {
        func isAccepted(_ output: VideoCaps) -> Bool {
            downstreamAccepts(output.applied(to: caps, of: video, hasSquarePixels: true))
        }
        if isAccepted(candidate) { return candidate }
        guard candidate.width < video.width || candidate.height < video.height else { return nil }
        let smaller = candidate.applied(to: caps, of: video, hasSquarePixels: true)
            .allowingSides(upTo: video.width, video.height)
        guard let answer = source.queryPeerCaps(smaller),
            let nearest = CapsRange.nearest(CapsRange.all(in: answer, like: caps), target: candidate, full: video)
        else { return nil }
        var output = candidate
        (output.width, output.height) = (nearest.width, nearest.height)
        return isAccepted(output) ? output : nil
    }

    private func send(_ caps: Caps, _ scaler: Scaler) -> Bool {
        guard let event = Event.caps(caps) else { return false }
        negotiator.store(Worker.currentThread, ordering: .relaxed)
        let isAccepted = scaler.entrance.push(event)
        negotiator.store(0, ordering: .relaxed)
        noteNegotiated()
        return isAccepted
    }

    private func setBorders(_ hasBorders: Bool, _ scaler: Scaler) {
        guard hasBorders != self.hasBorders else { return }
        self.hasBorders = hasBorders
        scaler.element.set("add-borders", to: hasBorders ? 1 : 0)
    }

    private func wakeEngine() { wake.withLock { $0 }?.call() }

    // MARK: Queries

    /// Answers the CAPS query of the scaler for its output; returns false for a query of another element.
    func answerScaler(_ query: borrowing Query) -> Bool {
        guard negotiator.load(ordering: .relaxed) == Worker.currentThread, let target,
            let answer = source.queryPeerCaps(target)
        else { return false }
        query.capsResult = query.capsFilter.map { $0.intersection(answer) } ?? answer
        return true
    }

    /// Answers queries from upstream; the result of a CAPS query begins with the requested caps.
    func answerUpstream(_ query: borrowing Query) -> Bool {
        guard sink.answerByDefault(query) else { return false }
        guard query.kind == .caps, let answer = query.capsResult, !answer.isEmpty, !answer.isAny,
            let requested = plan.withLock({ $0.requested })?.request
        else { return true }
        let best = answer.intersection(requested)
        guard !best.isEmpty else { return true }
        // The result of a query with a filter has only the requested caps. Without a filter, other caps follow them.
        query.capsResult = query.capsFilter == nil ? best.merging(answer) : best
        return true
    }

    /// Answers queries from downstream; a POSITION query is sent upstream, because some frames bypass the scaler.
    func answerDownstream(_ query: borrowing Query) -> Bool {
        query.kind == .position ? sink.queryPeer(query) : source.answerByDefault(query)
    }

    /// Whether downstream accepts fewer pixels than `caps`, true before negotiation; for the deciding thread only.
    func downstreamAccepts(lessThan caps: VideoCaps) -> Bool {
        guard let current = sink.currentCaps else { return true }
        return downstreamAccepts(current.allowingSides(upTo: max(1, caps.width - 1), max(1, caps.height - 1)))
    }

    /// Caps that the source offers, empty if they are unknown; for the deciding thread only.
    func sourceOffers() -> [CapsRange] { sink.currentCaps.map { offers(like: $0) } ?? [] }

    private func offers(like caps: Caps) -> [CapsRange] {
        sink.queryPeerCaps().map { CapsRange.all(in: $0, like: caps) } ?? []
    }

    private func downstreamAccepts(_ caps: Caps) -> Bool { source.queryPeerCaps(caps).map { !$0.isEmpty } ?? false }
}
