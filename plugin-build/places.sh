# The folders of install and uninstall; this file is sourced, not run.
# shellcheck shell=bash disable=SC2034  # its variables are for the scripts that source it
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Sets from the script's arguments: `plugins`, `presets`, `is_searched` (GStreamer searches these folders by
# default) and `created_folders`, the file in which install lists the folders that it created.
read_places() {
    local prefix has_prefix=false
    while (($#)); do
        case $1 in
        --prefix)
            (($# > 1)) || fail "--prefix needs a folder."
            prefix=$2 has_prefix=true && shift 2
            ;;
        --prefix=*) prefix=${1#*=} has_prefix=true && shift ;;
        *) fail "usage: $(basename "$0") [--prefix DIR]   (DESTDIR is honoured)" ;;
        esac
    done
    if ! $has_prefix; then
        local data=${DESTDIR:-}${XDG_DATA_HOME:-$HOME/.local/share}/gstreamer-1.0
        is_searched=true plugins=$data/plugins presets=$data/presets
        created_folders=$plugins/.swiftvideo-folders
        return
    fi
    [[ -n $prefix && $prefix != -* && $prefix != *$'\n'* ]] || fail "--prefix needs a folder; ${prefix@Q} is none."
    need_packages "pkg-config | pkgconf" libgstreamer1.0-dev
    # GStreamer's folder below its prefix, which contains the architecture on Debian: lib/x86_64-linux-gnu/….
    local searched system below
    searched=$(pkg-config --variable=pluginsdir gstreamer-1.0)
    system=$(pkg-config --variable=prefix gstreamer-1.0)
    below=${searched#"$system"/}
    prefix=$(realpath -m "$prefix")
    is_searched=false
    plugins=${prefix%/}/$below presets=${prefix%/}/share/gstreamer-1.0/presets
    if [[ $prefix == "$(realpath -m "$system")" ||
        (:${GST_PLUGIN_PATH:-}: == *:"$plugins":* && :${GST_PRESET_PATH:-}: == *:"$presets":*) ]]; then
        is_searched=true
    fi
    plugins=${DESTDIR:-}$plugins presets=${DESTDIR:-}$presets
    refuse_packaged
    created_folders=$plugins/.swiftvideo-folders
}

# Fails if a file that install writes belongs to a Debian package.
refuse_packaged() {
    if [[ -n ${DESTDIR:-} ]] || ! command -v dpkg-query >/dev/null; then return; fi
    local ours file found
    for ours in "${plugin_files[@]}" "$top"/presets/*.prs; do
        file=$plugins/$(basename "$ours")
        [[ $ours != *.prs ]] || file=$presets/$(basename "$ours")
        found=$(dpkg-query -S "$file" 2>/dev/null) || continue
        fail "$file belongs to the package ${found%%:*}; remove the package, or choose another --prefix."
    done
}

# Prints those of the given folders and of their parents that do not exist.
absent_folders() {
    local folder
    for folder; do
        until [[ -d $folder ]]; do
            say "$folder"
            folder=$(dirname "$folder")
        done
    done
}

# Prints the folders to remove when they are empty: those of plugins and presets, and their parents, that install created.
own_folders() {
    local folder stage=${DESTDIR:-}
    for folder in "$plugins" "$presets"; do
        while [[ $folder == "${stage%/}"/?* ]]; do
            if [[ -n $stage ]] || grep -qsFxe "$folder" "$created_folders"; then say "$folder"; fi
            folder=$(dirname "$folder")
        done
    done
}

# Prints the user's preset file, with its header, without the presets that our file contains.
#
# Former names of our presets count as ours: "Worn tape" is now worn-tape.
without_ours() {
    local ours=$1 users=$2
    awk 'FNR == NR { if (/^\[/ && $0 != "[_presets_]") ours[$0] = 1; next }
         /^\[/ { present = tolower($0); gsub(/ /, "-", present); skip = present in ours }
         !skip' "$ours" "$users"
}
