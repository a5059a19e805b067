"""All texts of the window. A translation is a catalogue of gettext in the domain gst-plugins-swift-look.

The labels and descriptions of settings are the names and blurbs of the properties, and are not translated.
"""

from gettext import translation

_ = translation("gst-plugins-swift-look", fallback=True).gettext

TITLE = _("Find a look")
NO_DISPLAY = _("There is no display for a window. Without one, pipelines/play looks in=FILE writes a film with all "
               "presets, and pipelines/batch renders one.")
USAGE = _('"{argument}" is neither a file, nor "camera", nor one of camera=SOURCE, preset=NAME and speaker=SINK.')

EMPTY = _("Open a film, a picture or a camera")
EMPTY_HINT = _("Files can also be dropped here.")
OPEN, OPEN_TITLE = _("Open"), _("Open a film or a picture")
CAMERA = _("Camera")
UNDO, REDO = _("Undo"), _("Redo")
MENU, SETTINGS_SHOWN = _("Menu"), _("Show the settings")
PICTURE, SOUND = _("Picture"), _("Sound")
SEARCH, NOTHING_FOUND = _("Search the settings"), _("No setting matches")
# The name of a list, and what is chosen, as a screen reader speaks them.
CHOICE = _("{name}: {choice}")
RESET = _("Reset {name} to {value}")
RESET_ALL = _("Reset All Settings")
# Groups of settings, by the first setting of each. The properties of the elements are in the order of the signal.
GROUPS = {
    "random-seed": _("General"), "input-luma-filter": _("The composite signal"),
    "ghost-level": _("Reception"), "head-switching": _("The tape transport"), "ringing": _("The receiver"),
    "vhs-settings": _("The tape"), "scale-settings": _("The size of the effects"), "track": _("The track"),
    "record-level": _("Recording"), "treble-boost": _("Playback"), "linear-noise": _("Noise"),
    "drop-outs": _("Drop-outs"),
}

BORDER = _("Border between the two pictures")
PLAY, PAUSE = _("Play"), _("Pause")
BACK, FORWARD = _("One frame back"), _("One frame forward")
POSITION, LOOP, MUTE = _("Position"), _("Repeat the film"), _("Mute the sound")
COMPARE = _("Compare with")
NOTHING, ORIGINAL, REFERENCE = _("Nothing"), _("Original"), _("Reference picture…")
REFERENCE_TITLE = _("Choose a reference picture")
ZOOM = _("Magnification")
FIT = _("Fit")
SIZE = _("{width}×{height}, preview {rows} rows")

SAVE_PRESET, SAVE_PRESET_HINT = _("Save as a Preset"), _("An existing preset of this name is replaced.")
NAME, SAVE, CANCEL, CLOSE = _("Name"), _("Save"), _("Cancel"), _("Close")
SAVED = _("Saved {name}")
IMPORT_JSON, IMPORT_TITLE = _("Import JSON…"), _("Import a preset of ntsc-rs or ntscQT")
EXPORT_JSON, EXPORT_TITLE = _("Export JSON…"), _("Export the picture as a preset of ntsc-rs")
SAVE_PICTURE, SAVE_PICTURE_TITLE = _("Save Picture…"), _("Save the picture with this look as a PNG")
COPY_LINE, COPIED = _("Copy as gst-launch Line"), _("The launch line is on the clipboard")
RENDER, RENDER_TITLE = _("Render…"), _("Render the film with this look")
RESUME, RESTART = _("Resume"), _("Start Anew")
RENDER_RUNS = _("A film is being rendered")
RENDER_RUNS_HINT = _("If the window is closed, rendering ends; finished segments are kept.")
STOP_RENDERING = _("End Rendering")

NO_PICTURE = _("{name} has no picture that GStreamer can decode.")
STOPPED = _("{name} has stopped: {reason} Play opens it again.")
NOT_RENDERED = _("The picture could not be rendered.")
NO_PATH = _("{name} is not a file of this machine.")
NO_GTK = _("The window requires GTK 4 and libadwaita with their bindings for Python.")
NO_PRESET = _("There is no preset {name}.")
