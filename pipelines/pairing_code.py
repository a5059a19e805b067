"""Shows a pairing token or a pairing code on a terminal, as text and as a QR code."""

from __future__ import annotations

import importlib.util

# Two modules above each other, by whether the upper and the lower one are dark.
MODULES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
# Dark on white also on a dark terminal, because many scanners read no inverted codes.
INK, END = "\033[38;2;0;0;0;48;2;255;255;255m", "\033[0m"


def draws() -> bool:
    """Whether the library for QR codes is installed."""
    return importlib.util.find_spec("qrcode") is not None


def rows(matrix: list[list[bool]]) -> list[str]:
    """The rows of characters of a QR code, each of which has two rows of modules."""
    lower = [*matrix[1::2], [False] * len(matrix[0])]
    return [INK + "".join(MODULES[pair] for pair in zip(*both)) + END for both in zip(matrix[::2], lower)]


def text(token: str, draws: bool, width: int = 80) -> str:
    """The token, with a QR code above it if `draws` is true.

    The content of the QR code is the token itself, as the protocol requires. It needs the package python3-qrcode.
    """
    hint = ""
    if draws:
        try:
            import qrcode
        except ImportError:
            hint = "\nInstall the package python3-qrcode, and this command also shows the token as a QR code."
        else:
            code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, border=4)
            code.add_data(token)
            matrix = code.get_matrix()
            if len(matrix) <= width:
                return "\n".join(rows(matrix)) + "\n" + token
            hint = f"\nWith {len(matrix)} columns, the terminal also shows the token as a QR code."
    return token + hint
