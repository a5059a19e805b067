import Durations

extension Session {
    /// Joins the parts of images, and keeps one image per configured channel until it is shown.
    struct ArtworkReceiver: Sendable {
        private struct Image {
            var timestamp: Duration
            var size: Int
            var received = 0
            var data: [UInt8] = []
            var isDiscarded: Bool
            var isComplete: Bool { received == size }
        }

        private let sizeLimit: Int
        /// Image of each channel until it is shown.
        private var pending: [Image?]
        private var isShowing: [Bool]
        /// Image whose parts are arriving, perhaps for a channel that is not configured; nil between images.
        private var transfer: (channel: Int, image: Image)?
        private(set) var discardedCount = 0

        init(channelCount: Int, sizeLimit: Int) {
            self.sizeLimit = sizeLimit
            pending = Array(repeating: nil, count: channelCount)
            isShowing = Array(repeating: false, count: channelCount)
        }

        var byteCount: Int {
            pending.reduce(0) { $0 + ($1?.data.count ?? 0) } + (transfer?.image.data.count ?? 0)
        }

        mutating func receive(_ message: ArtworkMessage) throws(SessionFailure) {
            switch message {
            case .announcement(let channel, let timestamp, let size):
                guard transfer == nil else { throw .violation("an image is announced while another one arrives") }
                drop(channel)
                // A size of 0 clears the channel; such an image is never too large.
                let isDiscarded = size > sizeLimit || !pending.indices.contains(channel)
                if isDiscarded { discardedCount += 1 }
                transfer = (channel, Image(timestamp: timestamp, size: size, isDiscarded: isDiscarded))
                finishIfComplete()
            case .part(let channel, let data):
                guard transfer?.channel == channel else { throw .violation("a part of an image was not announced") }
                transfer?.image.received += data.count
                guard let image = transfer?.image, image.received <= image.size else {
                    throw .violation("the parts of an image exceed its size")
                }
                if !image.isDiscarded { transfer?.image.data += data }
                finishIfComplete()
            case .cancellation(let channel):
                drop(channel)
                if transfer?.channel == channel { transfer = nil }
            case .image(let channel, let timestamp, let data):
                guard pending.indices.contains(channel), data.count <= sizeLimit else {
                    discardedCount += 1
                    return
                }
                pending[channel] = Image(
                    timestamp: timestamp, size: data.count, received: data.count, data: Array(data), isDiscarded: false)
            }
        }

        private mutating func drop(_ channel: Int) {
            if pending.indices.contains(channel) { pending[channel] = nil }
        }

        private mutating func finishIfComplete() {
            guard let transfer, transfer.image.isComplete else { return }
            if !transfer.image.isDiscarded { pending[transfer.channel] = transfer.image }
            self.transfer = nil
        }

        /// Local time at which the next image is shown; zero if there is no estimate, and nil if no image is pending.
        func deadline(_ estimate: ClockEstimate?) -> Duration? {
            pending.compactMap { image in image.map { estimate?.localTime(of: $0.timestamp) ?? .zero } }.min()
        }

        mutating func advance(to now: Duration, _ estimate: ClockEstimate?) -> [(channel: Int, image: [UInt8])] {
            var due: [(Int, [UInt8])] = []
            for channel in pending.indices {
                guard let image = pending[channel], (estimate?.localTime(of: image.timestamp) ?? .zero) <= now else {
                    continue
                }
                pending[channel] = nil
                isShowing[channel] = !image.data.isEmpty
                due.append((channel, image.data))
            }
            return due
        }

        /// Discards all images; returns the channels that show an image.
        mutating func end() -> [Int] {
            defer {
                for channel in pending.indices { (pending[channel], isShowing[channel]) = (nil, false) }
                transfer = nil
            }
            return isShowing.indices.filter { isShowing[$0] }
        }
    }
}
