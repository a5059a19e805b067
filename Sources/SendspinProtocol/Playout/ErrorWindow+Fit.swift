extension ErrorWindow {
    /// Fits a line by least squares, with the rate of `prior` as an observation.
    ///
    /// Source: Bayesian linear regression with a normal prior of the rate and a flat prior of the offset, C. M. Bishop,
    /// Pattern Recognition and Machine Learning, 2006, section 3.3.
    func leastSquares(prior: ErrorLine) -> ErrorLine {
        var line = prior
        line.x = end
        guard count > 0 else { return line }
        var sums = (x: 0.0, y: 0.0, xx: 0.0, xy: 0.0)
        for index in 0..<count {
            let sample = self[index]
            let x = sample.x - end
            sums.x += x
            sums.y += sample.y
            sums.xx += x * x
            sums.xy += x * sample.y
        }
        let n = Double(count)
        let variance = prior.noise * prior.noise
        let weight = variance / (prior.rateDeviation * prior.rateDeviation)
        let determinant = n * (sums.xx + weight) - sums.x * sums.x
        guard determinant > 0 else { return line }
        line.offset = ((sums.xx + weight) * sums.y - sums.x * (sums.xy + weight * prior.rate)) / determinant
        line.rate = (n * (sums.xy + weight * prior.rate) - sums.x * sums.y) / determinant
        line.offsetDeviation = (variance * (sums.xx + weight) / determinant).squareRoot()
        line.rateDeviation = (variance * n / determinant).squareRoot()
        return line
    }

    /// Standard deviation of the samples from `line`.
    func deviation(from line: ErrorLine) -> Double {
        guard count > 2 else { return ErrorLine.initialNoise }
        var square = 0.0
        for index in 0..<count {
            let distance = self[index].y - line.error(at: self[index].x)
            square += distance * distance
        }
        return (square / Double(count - 2)).squareRoot()
    }

    /// Mean distance of the newest `number` samples from `line`, and their standard deviation from this mean.
    func newest(_ number: Int, from line: ErrorLine) -> (distance: Double, deviation: Double) {
        guard count >= number, number > 1 else { return (0, 0) }
        let distances = (count - number..<count).lazy.map { self[$0].y - line.error(at: self[$0].x) }
        let mean = distances.reduce(0, +) / Double(number)
        let square = distances.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, (square / Double(number - 1)).squareRoot())
    }

    /// Index of the sample farthest from `line`, if its distance exceeds `limit` and `ratio` times the mean of the
    /// others; never that of the newest sample, which may be the first one after a jump.
    func outlier(from line: ErrorLine, limit: Double, ratio: Double) -> Int? {
        var sum = 0.0
        var worst = (index: 0, distance: 0.0)
        for index in 0..<count {
            let distance = (self[index].y - line.error(at: self[index].x)).magnitude
            sum += distance
            if distance > worst.distance, index < count - 1 { worst = (index, distance) }
        }
        guard count > 1, worst.distance > limit else { return nil }
        return worst.distance > ratio * (sum - worst.distance) / Double(count - 1) ? worst.index : nil
    }
}
