import AnalogVideoModel

// MARK: - Output

extension Workspace {
    /// Writes a block of rows of the field to the picture, and the rows between them if the run fills other rows.
    ///
    /// A block of another band is not written; it only updates the state for the next block.
    mutating func show(_ block: FieldBlock, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob) {
        let run = field.run
        let picture = job.picture
        let rows = block.isOwn ? run.rows(ofBlock: block.index) : PictureRows()
        let between = block.isOwn && run.fillsOtherRows ? run.rowsBetween(ofBlock: block.index) : PictureRows()
        let isLast = block.isOwn && block.index == run.blockCount - 1
        let below = isLast ? run.rowBelow(pictureHeight: picture.layout.height) : PictureRows()
        if let yuv = picture.layout.format.yuv {
            let screen = LumaChromaScreen(yuv, picture, field.path.axes)
            show(rows, between, below, isLast: isLast, block: block.index, of: field, on: screen, job)
        } else {
            let screen = Screen(picture, field.path.axes)
            if run.fillsOtherRows {
                findMeans(field.index, chromaAbovePart: 0.5, isFirstBlock: block.index == 0)
                screen.show(spare, above, self.below, in: between)
            }
            screen.show(luma, chromaI, chromaQ, in: rows)
            screen.show(luma, chromaI, chromaQ, in: below)
        }
    }

    private mutating func show(
        _ rows: PictureRows, _ between: PictureRows, _ below: PictureRows, isLast: Bool, block: Int,
        of field: borrowing PlayerJob.Field, on screen: LumaChromaScreen, _ job: borrowing PlayerJob
    ) {
        let isHalved = screen.yuv.verticalShift == 1
        if field.run.fillsOtherRows {
            findMeans(
                field.index, chromaAbovePart: isHalved ? field.fillingAbovePart : 0.5, isFirstBlock: block == 0)
            screen.convert(&spare, &above, &self.below)
            screen.storeLuma(spare, in: between)
            screen.encodeChroma(&above, &self.below)
            if isHalved { keepChroma(block, of: field, job) }
            screen.storeChroma(above, self.below, in: isHalved ? between.halved : between)
        }
        screen.convert(&luma, &chromaI, &chromaQ)
        screen.storeLuma(luma, in: rows)
        screen.storeLuma(luma, in: below)
        if !isHalved {
            screen.encodeChroma(&chromaI, &chromaQ)
            screen.storeChroma(chromaI, chromaQ, in: rows)
            screen.storeChroma(chromaI, chromaQ, in: below)
        } else if field.run.fillsOtherRows {
            guard isLast else { return }
            screen.encodeChroma(&chromaI, &chromaQ)
            screen.storeChroma(chromaI, chromaQ, in: field.run.firstRow == 0 ? rows.last.halved : below.halved)
        } else if field.sharesChroma {
            guard field.index == 0 else { return }
            heldBlue.copy(from: chromaI)
            heldRed.copy(from: chromaQ)
        } else {
            let mean = ChromaMean(rows, lower: nil, job.picture, field.chromaStorage)
            mean.apply(to: &chromaI, rowAbove: &fields[field.index].shownI, count: screen.chromaCount)
            mean.apply(to: &chromaQ, rowAbove: &fields[field.index].shownQ, count: screen.chromaCount)
            screen.encodeChroma(&chromaI, &chromaQ)
            keepChroma(block, of: field, job)
            screen.storeChroma(chromaI, chromaQ, in: mean.rows)
        }
    }

    /// Writes chroma that is the mean of rows of both fields, after both are decoded.
    mutating func showSharedChroma(slab: Int, _ job: borrowing PlayerJob, isOwn: Bool) {
        guard job.fields[0].sharesChroma, let yuv = job.picture.layout.format.yuv else { return }
        let screen = LumaChromaScreen(yuv, job.picture, job.fields[0].path.axes)
        let upper = isOwn ? job.fields[0].run.rows(ofBlock: slab) : PictureRows()
        let mean = ChromaMean(
            upper, lower: job.fields[1].run.rows(ofBlock: slab), job.picture, .progressive)
        mean.apply(to: &heldBlue, lower: chromaI, rowAbove: &fields[1].shownI, count: screen.chromaCount)
        mean.apply(to: &heldRed, lower: chromaQ, rowAbove: &fields[1].shownQ, count: screen.chromaCount)
        screen.encodeChroma(&heldBlue, &heldRed)
        keepChroma(slab, of: job.fields[0], job)
        screen.storeChroma(heldBlue, heldRed, in: mean.rows)
    }

    /// Copies rows of chroma that the next slab may read, before this slab overwrites them.
    private mutating func keepChroma(
        _ slab: Int, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob
    ) {
        let picture = job.picture
        guard let yuv = picture.layout.format.yuv else { return }
        let rows = job.bands.writtenChromaRows(ofSlabs: slab..<(slab + 1))
        let parities = field.chromaStorage == .interleaved ? field.run.firstRow...field.run.firstRow : 0...1
        for plane in 1..<max(picture.layout.format.planeCount, 1) where yuv.verticalShift == 1 {
            for parity in parities { keptRows.keepWritten(rows, parity: parity, of: plane, picture) }
        }
    }

    /// Computes the means of each row and the row above it; the topmost row is copied.
    private mutating func findMeans(_ field: Int, chromaAbovePart: Float, isFirstBlock: Bool) {
        mean(of: luma, with: &fields[field].shownLuma, part: 0.5, into: &spare, isFirstBlock: isFirstBlock)
        mean(
            of: chromaI, with: &fields[field].shownI, part: chromaAbovePart, into: &above, isFirstBlock: isFirstBlock)
        mean(
            of: chromaQ, with: &fields[field].shownQ, part: chromaAbovePart, into: &below, isFirstBlock: isFirstBlock)
    }
}

/// Computes the means of each row and the row above it, and stores the last row in `rowAbove` for the next block.
private func mean(
    of plane: borrowing Plane, with rowAbove: inout [Float], part abovePart: Float, into result: inout Plane,
    isFirstBlock: Bool
) {
    let columns = plane.readOnlyColumns
    var means = result.columns
    guard means.count == columns.count, rowAbove.count == columns.count else { return }
    for x in columns.indices {
        let rows = columns[x]
        let above = movedDown(rows, above: isFirstBlock ? rows[0] : rowAbove[x])
        means[x] = rows * Lanes(1 - abovePart) + above * Lanes(abovePart)
        rowAbove[x] = rows[rowsPerBlock - 1]
    }
}
