# Functions of the scripts that run the models; this file is sourced, after plugin-build/common.sh, and not run.
# shellcheck shell=bash
: "${top:?}" "${out:?}"
inference=$top/pipelines/inference
inference_venv=$out/inference-venv

# Makes the virtual environment with mediapipe, once. It uses the Python of the system, which has GStreamer. Two first
# runs at the same time make one environment; the subshell holds the lock.
make_inference_venv() {
    [[ -e $inference_venv/ready ]] && return
    mkdir -p "$out"
    (
        flock 9
        if [[ ! -e $inference_venv/ready ]]; then install_inference_wheels; fi
    ) 9>"$inference_venv.lock" || exit
}

install_inference_wheels() {
    /usr/bin/python3 -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 12))' ||
        fail "mediapipe exists for Python 3.9 to 3.12, and this is $(/usr/bin/python3 --version);" \
            "stand-in=30 plays without it."
    make_venv "mediapipe is missing, and stand-in=30 plays without it" "$inference_venv" "$inference/requirements.txt"
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
