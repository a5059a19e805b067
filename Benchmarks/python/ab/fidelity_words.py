"""The comparison of pictures as text."""


def pictures(found: dict) -> list[str]:
    """Frames, both MD5 and PSNR."""
    if "error" in found:
        return ["–", "–", "–", f"not compared: {found['error']}"]
    before, after = found["frames"]
    frames = str(before) if before == after else f"{before} and {after}"
    psnr = [f"{value:.2f} dB" if value is not None else "–" for value in found["psnr"]]
    return [frames, _same(found["raw"]), _same(found["coded"]), " → ".join(psnr)]


def _same(is_same: bool) -> str:
    return "equal" if is_same else "**different**"
