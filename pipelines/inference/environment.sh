# Functions of the scripts that run the models; this file is sourced, after plugin-build/common.sh, and not run.
# shellcheck shell=bash
: "${top:?}" "${out:?}" "${model_packages[0]:?}"
inference=$top/pipelines/inference
inference_venv=$out/inference-venv
# mediapipe is installed without its dependencies: pose and face need only these of them.
inference_wheels=(
    "mediapipe==0.10.21" "numpy==1.26.4" "protobuf==4.25.9" "absl-py==2.3.1" "attrs==25.4.0" "flatbuffers==25.9.23"
)

# Makes the virtual environment with mediapipe, once. It uses the Python of the system, which has GStreamer. Two first
# runs at the same time make one environment; the subshell holds the lock.
make_inference_venv() {
    [[ -e $inference_venv/ready ]] && return
    need_packages "${model_packages[@]}"
    mkdir -p "$out"
    (
        flock 9
        if [[ ! -e $inference_venv/ready ]]; then install_inference_wheels; fi
    ) 9>"$inference_venv.lock" || exit
}

install_inference_wheels() {
    /usr/bin/python3 -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 12))' ||
        fail "${inference_wheels[0]} exists for Python 3.9 to 3.12, and this is $(/usr/bin/python3 --version);" \
            "stand-in=30 plays without it."
    say "Installing ${inference_wheels[0]} in $inference_venv; it is the last access to the network."
    local log
    log=$(mktemp)
    rm -rf "$inference_venv"
    if ! { /usr/bin/python3 -m venv --system-site-packages "$inference_venv" &&
        "$inference_venv/bin/python" -m pip install --no-deps --ignore-installed --only-binary=:all: \
            "${inference_wheels[@]}"; } </dev/null >"$log" 2>&1; then
        fail "pip could not install ${inference_wheels[0]}: $(grep -E '^ERROR:' "$log" | head -n 1)" \
            "(the full log is $log); stand-in=30 plays without it."
    fi
    rm -f "$log"
    : >"$inference_venv/ready"
}

# run_inference ARGUMENT…: replaces the shell by the program, with mediapipe if the arguments name a model of it.
run_inference() {
    local argument python=$inference_venv/bin/python
    for argument; do
        case $argument in
        stand-in=* | vocal-affect | stress) python=/usr/bin/python3 ;;
        esac
    done
    if [[ $python != /usr/bin/python3 ]]; then make_inference_venv; fi
    exec "$python" "$inference" "$@"
}
