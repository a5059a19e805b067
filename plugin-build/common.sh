# Functions and variables of the scripts in this folder; this file is sourced, not run.
# shellcheck shell=bash disable=SC2034  # its variables are for the scripts that source it
set -euo pipefail
shopt -s inherit_errexit

# All scripts have the option --yes, before any --: this script and those that it runs install without asking.
arguments=()
while (($#)) && [[ $1 != -- ]]; do
    if [[ $1 == --yes ]]; then export SWIFTVIDEO_YES=true; else arguments+=("$1"); fi
    shift
done
set -- "${arguments[@]}" "$@"
unset arguments

# In PYTHONPATH, an empty entry is the current folder, which may be one that others can write.
PYTHONPATH=:${PYTHONPATH:-}:
while [[ $PYTHONPATH == *::* ]]; do PYTHONPATH=${PYTHONPATH//::/:}; done
PYTHONPATH=${PYTHONPATH#:} PYTHONPATH=${PYTHONPATH%:}

top=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The Debian package of the programs in pipelines/ contains this file without the sources. The programs then use the
# installed plugins and write to the current folder.
if [[ -e $top/Package.swift ]]; then
    has_sources=true out=$top/out
    version=$(sed -n 's/^#define SWIFTVIDEO_VERSION "\(.*\)"/\1/p' "$top/Sources/CSystem/include/version.h")
else
    has_sources=false out=$PWD
fi
# The products have a scratch folder of their own, so that tests and products do not cause each other to be rebuilt.
product_scratch=$top/.build/product plugin_folder=plugin processor=$(uname -m)
swift_options=() clang_options=()
# plugin-build/arm64 builds with the other scripts; it sets this variable to the folder of the libraries of arm64.
cross=${SWIFTVIDEO_ARM64:-}
if [[ -n $cross ]]; then
    product_scratch=$cross/product plugin_folder=arm64 processor=aarch64
    # With an SDK, SwiftPM does not pass -fPIC.
    swift_options=(--swift-sdks-path "$cross/sdk" --swift-sdk debian-arm64 -Xcc -fPIC -Xlinker "$cross/glibc.o")
    clang_options=(--target=aarch64-unknown-linux-gnu --sysroot="$cross/sysroot")
fi
# The plugins, by their names in GStreamer. Each is one file, a product of Package.swift.
plugin_names=(swiftvideo sendspin)

# plugin_file NAME: prints the path of a plugin. unstripped_file NAME: the same file before it is stripped.
# archives_file NAME: the linker's list of static libraries, with the number of members that are linked.
plugin_file() { printf '%s\n' "$out/$plugin_folder/libgst$1.so"; }
unstripped_file() { printf '%s\n' "$product_scratch/release/libgst$1.so"; }
archives_file() { printf '%s\n' "$product_scratch/libgst$1.archives"; }

# Runs objcopy for files of the plugins' architecture.
copy_object() {
    local program=objcopy
    [[ -z $cross ]] || program=$(dirname "$(readlink -f "$(command -v swiftc)")")/llvm-objcopy
    "$program" "$@"
}

plugin_files=()
for name in "${plugin_names[@]}"; do plugin_files+=("$(plugin_file "$name")"); done
unset name
# The plugin with the video elements.
plugin=$(plugin_file swiftvideo)
unstripped=$(unstripped_file swiftvideo)
swift_needed=6.2.3

# The Debian packages, by their use. A release has one of those that | separates. A Swift toolchain requires the first two
# rows; its compiler finds the newest C++ library only.
build_packages=(
    "libstdc++-16-dev | libstdc++-15-dev | libstdc++-14-dev | libstdc++-13-dev | libstdc++-12-dev" "libcurl4t64 | libcurl4"
    binutils libc6-dev libxml2 libncurses6 libsqlite3-0
    libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev "pkg-config | pkgconf"
    # For plugin-build/unretain.
    python3
    # For the plugin with the Sendspin elements.
    libavahi-client-dev libsodium-dev
)
play_packages=(gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good)
python_packages=(python3-gi gir1.2-gstreamer-1.0)
# For pipelines/inference: rsvgoverlay, which draws text.
text_packages=(gstreamer1.0-plugins-bad)
# For pipelines/batch: the format of pictures in Python, x264enc, and decoders of common files.
batch_packages=(gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-ugly gstreamer1.0-libav)
# For pipelines/batch on several machines.
cluster_packages=(python3-distributed)
# For a window on X or Wayland (Xwayland); autovideosink selects this sink.
screen_packages=(gstreamer1.0-x)
# For pipelines/look: its window, and pixels drawn as squares.
look_packages=(gir1.2-gtk-4.0 gir1.2-adw-1 python3-gi-cairo)
# For plugin-build/deb, which requires dpkg-shlibdeps; dpkg-deb is always installed.
deb_packages=(dpkg-dev)
# For virtual environments: those of pipelines/inference have its models.
venv_packages=(python3-venv)
# Encoders, decoders, sinks and timelines for tests; gcc compiles the C example of docs/applications.md; services are
# published on the network with Avahi.
test_packages=(
    gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-alsa libges-1.0-0
    # iproute2 makes the networks of simulated hosts.
    # A Swift package that depends on this one by version is fetched with git.
    gcc git shellcheck pyflakes3 lintian avahi-daemon dbus iproute2 mount "${cluster_packages[@]}"
    "${venv_packages[@]}"
    # python3-asyncssh, for which Tests/batch has a stand-in, requires it.
    python3-cryptography
    # Makes the films that Tests/batch renders.
    ffmpeg
    # The window of pipelines/look, a display for it, and its pointer and keyboard.
    "${look_packages[@]}" xvfb xdotool
    # For the statistics of Benchmarks/ab.
    python3-numpy python3-scipy
)
# For Benchmarks/ab and its tests; libgstreamer1.0-dev and pkg-config are in build_packages.
statistics_packages=(python3-numpy python3-scipy gcc)
# For programs that are run by hand: Tests/hosts, Benchmarks and the launch lines of the documentation.
hand_packages=(
    gstreamer1.0-plugins-base-apps ges1.0-tools gstreamer1.0-rtsp gstreamer1.0-nice
    gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 gir1.2-gst-rtsp-server-1.0 valgrind
)

say() { printf '%s\n' "$@"; }

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Prints the comment at the top of the script that runs.
show_help() {
    sed -n '2,/^[^#]/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$0"
    show_yes
}

show_yes() { if $has_sources; then say "" "--yes installs missing packages without asking."; fi; }

# help_for ARGUMENT…: prints this comment and ends the script if an argument is --help or -h.
help_for() {
    local argument
    for argument; do
        case $argument in
        --help | -h) show_help && exit 0 ;;
        esac
    done
}

# help_only ARGUMENT…: as help_for; fails if there is any other argument but --yes.
help_only() {
    help_for "$@"
    (($# == 0)) || fail "There is no argument $1; plugin-build/$(basename "$0") takes none but --help and --yes."
}

# replace_file FILE MODE: gives standard input the name FILE when it is complete; an existing file or link stays until
# then.
replace_file() (
    mkdir -p "$(dirname "$1")"
    new=$(mktemp "$(dirname "$1")/.new-XXXXXXXX")
    trap 'rm -f "$new"' EXIT
    cat >"$new" && chmod "$2" "$new" && sync "$new" && mv -T "$new" "$1"
)

# ask PROBLEM COMMAND: prints a command that installs something, and asks on a terminal whether to run it; ends the
# script if not. With --yes or CI=true nothing is asked.
ask() {
    local answer=no
    if [[ ${SWIFTVIDEO_YES:-} == true || ${CI:-} == true ]]; then
        answer=yes
    elif [[ -t 0 && -t 2 ]]; then
        printf '%s. This command installs what is missing:\n\n    %s\n\n' "$1" "$2" >&2
        read -r -p "Run it now? [y/N] " answer || answer=no
    fi
    [[ $answer == [yY]* ]] || fail "$1; run this command, or pass --yes: $2"
    say "Installing: $2" >&2
}

# Installs the named Debian packages that are missing, after asking; on other systems they are assumed to be installed.
need_packages() {
    command -v dpkg-query >/dev/null || return 0
    local package name missing="" sudo="" command log attempt
    for package; do
        for name in ${package//|/}; do
            [[ $(dpkg-query -W -f='${Status}' "$name" 2>/dev/null) != *"ok installed" ]] || continue 2
        done
        missing+="${missing:+, }$package"
    done
    [[ -n $missing ]] || return 0
    # Unlike apt-get install, this command chooses one of several packages.
    command="apt-get satisfy -y --no-install-recommends '$missing'"
    $has_sources || fail "Packages are missing; install them as root: $command"
    if ((EUID != 0)); then
        sudo="sudo "
        if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
            fail "Packages are missing; install them as root: $command"
        fi
    fi
    command="${sudo}apt-get update && ${sudo}env DEBIAN_FRONTEND=noninteractive $command"
    ask "Packages are missing" "$command"
    log=$(mktemp)
    # Another apt may hold a lock. The option DPkg::Lock::Timeout does not apply to the lock of apt-get update.
    for ((attempt = 1; ; attempt++)); do
        LC_ALL=C sh -c "$command" </dev/null >"$log" 2>&1 && break
        if ((attempt == 60)) || ! grep -q '^E: Could not get lock' "$log"; then
            fail "apt-get could not install $missing: $(grep -E '^E:' "$log" | head -n 1) (the full log is $log)"
        fi
        ((attempt > 1)) || say "Another apt is running; waiting up to five minutes." >&2
        sleep 5
    done
    rm -f "$log"
}

# make_venv PROBLEM FOLDER REQUIREMENTS: makes a virtual environment of the Python of the system, after asking, with the
# packages that the file REQUIREMENTS lists with the hashes of their wheels. FOLDER/ready exists when it is complete.
make_venv() {
    local command log
    need_packages "${venv_packages[@]}"
    command="/usr/bin/python3 -m venv --system-site-packages ${2@Q} && ${2@Q}/bin/python -m pip install --no-deps"
    command+=" --ignore-installed --only-binary=:all: --require-hashes -r ${3@Q} && touch ${2@Q}/ready"
    ask "$1" "$command"
    rm -rf "$2"
    log=$(mktemp)
    bash -c "$command" </dev/null >"$log" 2>&1 ||
        fail "$1; pip could not install it: $(grep -E '^ERROR:' "$log" | head -n 1) (the full log is $log)"
    rm -f "$log"
}

# Fails in one sentence unless a Swift toolchain that is new enough is on the PATH; installs the named packages with it.
need_swift_and() {
    command -v swift >/dev/null ||
        fail "There is no swift on the PATH; install a Swift toolchain, $swift_needed or newer, from swift.org/install."
    need_packages "$@"
    local version
    version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1) || true
    [[ -n $version ]] || fail "swift does not run: $( (swift --version 2>&1 || true) | head -n 1)"
    [[ $(printf '%s\n' "$swift_needed" "$version" | sort -V | head -n 1) == "$swift_needed" ]] ||
        fail "Swift $swift_needed or newer is needed; the one on the PATH is $version."
    # SwiftPM warns of the flag -pthread, which glibc has not required since 2.34; it finds copies without the flag first.
    # GLib of Debian 13 and newer requires sysprof-capture-4.
    local module folder copy=$product_scratch/pkgconfig
    for module in gmodule-no-export-2.0 sysprof-capture-4; do
        folder=$(pkg-config --variable=pcfiledir "$module" 2>/dev/null) || continue
        sed 's/ -pthread//' "$folder/$module.pc" | replace_file "$copy/$module.pc" 644
    done
    export PKG_CONFIG_PATH=$copy${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
}

# Whether all plugins are built.
plugins_exist() {
    local file
    for file in "${plugin_files[@]}"; do [[ -e $file ]] || return 1; done
}

# Whether a plugin is missing, or older than its sources.
plugin_is_stale() {
    plugins_exist || return 0
    local oldest
    # shellcheck disable=SC2012  # the names of the files are known
    oldest=$(ls -t "${plugin_files[@]}" | tail -n 1)
    [[ -n $(find "$top/Sources" "$top/Package.swift" \
        "$top/plugin-build"/{build,exports.map,ld,startup.order,unretain} -newer "$oldest" -print -quit) ]]
}

build_if_stale() { if $has_sources && plugin_is_stale; then "$top/plugin-build/build"; fi; }

# Builds stale plugins. Without a toolchain, for example as root, existing ones are used.
build_with_toolchain() { if command -v swift >/dev/null || ! plugins_exist; then build_if_stale; fi; }

# Sets the search paths of GStreamer programs to the built plugins and their presets.
use_built_plugin() {
    $has_sources || return 0
    export GST_PLUGIN_PATH=$out/plugin${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
    export GST_PRESET_PATH=$top/presets${GST_PRESET_PATH:+:$GST_PRESET_PATH}
}

# needs_build_for ELEMENT: whether the plugins of these sources are used, because they are built already, or because no
# installed plugin has the element.
needs_build_for() { plugins_exist || ! gst-inspect-1.0 --exists "$1"; }

# use_plugins_with ELEMENT: selects installed plugins, or those of these sources, which are built if they are stale.
use_plugins_with() {
    if needs_build_for "$1"; then
        build_if_stale
        use_built_plugin
    fi
}

failures=0

# check NAME COMMAND…: prints a line "ok" or "FAILED" and counts `failures`; passes if the command succeeds and prints
# nothing.
check() {
    local name=$1 found
    shift
    if found=$("$@" 2>&1) && [[ -z $found ]]; then
        say "ok      $name"
    else
        say "FAILED  $name"
        [[ -z $found ]] || head -n 12 <<<"$found" | sed 's/^/          /'
        failures=$((failures + 1))
    fi
}

# Fails unless GStreamer has these elements, because a missing element must not be measured.
need_elements() {
    local element
    for element; do
        gst-inspect-1.0 --exists "$element" || fail "GStreamer has no element $element; gst-inspect-1.0 -b may list the reason."
    done
}

# processor_time LOG COMMAND…: prints the processor time of the command in seconds and writes its output to LOG. If the
# command fails, this fails too, with the end of its output.
processor_time() {
    local log=$1 times
    shift
    if ! times=$(TIMEFORMAT='%U %S' LC_ALL=C && { time "$@" >"$log" 2>&1; } 2>&1); then
        tail -n 20 "$log" >&2
        fail "A command failed, so nothing is measured: $*"
    fi
    awk '{ print $1 + $2 }' <<<"$times"
}

# run_benchmark FOLDER [OPTION…]: runs a benchmark written in Python. It measures the plugin of plugin-build/build, which
# is built if necessary, unless --plugin-dir names another folder.
run_benchmark() {
    local folder=$1 option options=(--plugin-dir "$out/plugin") end=exec
    shift
    for option; do
        case $option in
        --help | -h) options=() end= ;;
        --plugin-dir | --plugin-dir=* | --list) options=() ;;
        esac
    done
    need_packages "${play_packages[@]}" "${python_packages[@]}"
    if ((${#options[@]})); then build_if_stale; fi
    export PYTHONPATH=$top/Benchmarks/python/shared:$top/pipelines
    $end /usr/bin/python3 "$top/Benchmarks/python/$folder" "${options[@]}" "$@"
    show_yes
}
