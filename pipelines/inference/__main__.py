"""Runs a model of targets/models.json. The script pipelines/inference/play runs this program."""

import sys

from gi.repository import GLib

from player import Player
from output import Mistake
from settings import parse


def main() -> int:
    settings = parse(sys.argv[1:])
    try:
        player = Player(settings)
    except GLib.Error as error:
        sys.exit(f"The pipeline cannot be made: {error.message}.")
    except OSError as error:
        sys.exit(f"{error.filename} cannot be written: {error.strerror}.")
    return player.run()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Mistake as mistake:
        sys.exit(str(mistake))
