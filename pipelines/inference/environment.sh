# Functions of the scripts that run the models; this file is sourced, after plugin-build/common.sh, and not run.
# shellcheck shell=bash
: "${top:?}" "${out:?}"
inference=$top/pipelines/inference
models_venv=$out/models-venv mediapipe_venv=$out/mediapipe-venv

# python_of ROW: sets python to the one that runs the model of a row, in a virtual environment that is made once. It uses
# the Python of the system, which has GStreamer. Two first runs at the same time make one environment; the subshell holds
# the lock.
python_of() {
    local venv=$models_venv list=requirements.txt what=onnxruntime oldest=11 newest=13
    case $1 in
    pose | facial-expression) venv=$mediapipe_venv list=requirements-mediapipe.txt what=mediapipe oldest=9 newest=12 ;;
    esac
    python=$venv/bin/python
    [[ ! -e $venv/ready ]] || return 0
    mkdir -p "$out"
    (
        flock 9
        [[ ! -e $venv/ready ]] || exit 0
        /usr/bin/python3 -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" ||
            fail "$what is used with Python 3.$oldest to 3.$newest, and this is $(/usr/bin/python3 --version);" \
                "stand-in=30 plays without it."
        make_venv "$what is missing, and stand-in=30 plays without it" "$venv" "$inference/$list"
    ) 9>"$venv.lock" || exit
}

# run_inference ARGUMENT…: replaces the shell by the program, with the libraries of the model that the arguments name.
run_inference() {
    local argument row=text python
    for argument; do
        case $argument in
        text | text-boxes | voice | pose | facial-expression) row=$argument ;;
        esac
    done
    if [[ " $*" == *" stand-in="* ]]; then python=/usr/bin/python3; else python_of "$row"; fi
    # An inference allocates and frees blocks of megabytes. Without this limit, the heap of glibc keeps the gaps between.
    exec env MALLOC_MMAP_THRESHOLD_=1048576 "$python" "$inference" "$@"
}
