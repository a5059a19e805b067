# Where install puts things and uninstall finds them; sourced, not run.
# shellcheck shell=bash disable=SC2034  # its variables are for the scripts that source it
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Sets `plugins`, `presets` and `is_user` from the script's arguments.
read_places() {
    local prefix=""
    while (($#)); do
        case $1 in
        --prefix)
            (($# > 1)) || fail "--prefix needs a folder."
            prefix=$2 && shift 2
            ;;
        --prefix=*) prefix=${1#*=} && shift ;;
        *) fail "usage: $(basename "$0") [--prefix DIR]   (DESTDIR is honoured)" ;;
        esac
    done
    if [[ -z $prefix ]]; then
        local data=${DESTDIR:-}${XDG_DATA_HOME:-$HOME/.local/share}/gstreamer-1.0
        is_user=true plugins=$data/plugins presets=$data/presets
        return
    fi
    need_packages pkg-config libgstreamer1.0-dev
    # GStreamer's own folder below its prefix, which on Debian names the architecture: lib/x86_64-linux-gnu/….
    local below
    below=$(pkg-config --variable=pluginsdir gstreamer-1.0)
    below=${below#"$(pkg-config --variable=prefix gstreamer-1.0)"/}
    prefix=${DESTDIR:-}$(realpath -m "$prefix")
    is_user=false plugins=$prefix/$below presets=$prefix/share/gstreamer-1.0/presets
}

# Prints the user's preset file without the presets that ours has too, header and all.
#
# Ours once had other names: "Worn tape" is worn-tape now.
without_ours() {
    local ours=$1 users=$2
    awk 'FNR == NR { if (/^\[/ && $0 != "[_presets_]") ours[$0] = 1; next }
         /^\[/ { present = tolower($0); gsub(/ /, "-", present); skip = present in ours }
         !skip' "$ours" "$users"
}
