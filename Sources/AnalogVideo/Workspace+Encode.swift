import AnalogVideoModel

// MARK: - From the picture to the composite signal

extension Workspace {
    /// Encodes pixels to composite signal until all blocks that `block` depends on are available.
    mutating func encode(
        through block: Int, of field: borrowing PlayerJob.Field, _ picture: Picture, probe: StageProbe?
    ) {
        guard field.path.needsWindow else { return encode(block: block, of: field, picture, probe: probe) }
        while fields[field.index].window.end < min(block + field.path.blocksBelow + 1, field.run.blockCount) {
            encode(block: fields[field.index].window.end, of: field, picture, probe: probe)
        }
    }

    /// Encodes eight rows of pixels to composite signal.
    private mutating func encode(
        block: Int, of field: borrowing PlayerJob.Field, _ picture: Picture, probe: StageProbe?
    ) {
        let firstRow = block * rowsPerBlock
        probe?.blockBegins(ofField: field.index)
        shoot(field.run.rows(ofBlock: block), of: picture, field.chromaStorage)
        encode(firstRow: firstRow, field.path, probe: probe)
        if field.path.needsWindow { fields[field.index].window.append(luma) } else { swap(&luma, &composite) }
    }

    private mutating func shoot(_ rows: PictureRows, of picture: Picture, _ storage: ChromaStorage) {
        if let yuv = picture.layout.format.yuv {
            LumaChromaCamera(yuv, picture)
                .shoot(rows, keptRows, storage, luma: &luma, &chromaI, &chromaQ)
        } else {
            let starts = keptRows.starts(of: rows, picture)
            Camera(picture).shoot(starts, luma: &luma, &chromaI, &chromaQ)
        }
    }

    private mutating func encode(firstRow: Int, _ path: borrowing SignalPath, probe: StageProbe?) {
        report(.input, to: probe, firstRow)
        // A probe needs the planes after every stage, so the sweep is not used.
        if probe == nil, let sweep = path.encodingSweep {
            sweep.walk(&luma, chromaI, chromaQ, firstRow: firstRow)
        } else {
            path.inputLumaFilter?.apply(to: &luma)
            report(.lumaFilter, to: probe, firstRow)
            path.chromaLowpassIn?.apply(to: &chromaI, &chromaQ)
            report(.chromaLowpassIn, to: probe, firstRow)
            path.carrier.modulate(chromaI, chromaQ, onto: &luma, firstRow: firstRow)
            report(.chromaIntoLuma, to: probe, firstRow)
            path.preemphasis?.apply(to: &luma)
            report(.compositeSharpening, to: probe, firstRow)
        }
        path.compositeNoise?.add(to: &luma, firstRow: firstRow)
        report(.compositeNoise, to: probe, firstRow)
        path.snow?.fall(on: &luma, firstRow: firstRow, rowCount: path.field.rowCount)
        report(.snow, to: probe, firstRow)
        path.headSwitching?.tear(&luma, firstRow: firstRow)
        report(.headSwitching, to: probe, firstRow)
        path.trackingNoise?.disturb(&luma, firstRow: firstRow)
        report(.trackingNoise, to: probe, firstRow)
    }
}
