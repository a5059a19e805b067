# Systems of another release or architecture in folders, made of Debian's packages; sourced after common.sh.
# shellcheck shell=bash

# The mirror of Debian that this machine uses.
# shellcheck disable=SC2016  # apt replaces the variable
mirror=$(apt-get indextargets 'Created-By: Packages' 'Origin: Debian' 'Component: main' --format '$(REPO_URI)' |
    sed -n '/-security/!{p;q}')
[[ -n $mirror ]] || fail "The sources of apt name no mirror of Debian."

# apt_get FOLDER SUITE ARCHITECTURE ARGUMENT…: apt-get for the packages of a suite of Debian, as if none were installed. It
# verifies signatures and hashes, and keeps packages in FOLDER/archives instead of installing them.
apt_get() {
    mkdir -p "$1"/{lists,archives}/partial
    say "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" >"$1/sources"
    : >"$1/status"
    apt-get -qq -o Dir::Etc::SourceList="$1/sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$1" \
        -o Dir::State::Status="$1/status" -o Dir::Cache="$1" -o APT::Sandbox::User="$(id -un)" \
        -o APT::Architecture="$3" -o APT::Architectures="$3" -o APT::Install-Recommends=false \
        -o APT::Get::Assume-Yes=true -o APT::Get::Download-Only=true "${@:4}"
}

# unpack ROOT PACKAGE: adds the files of a package to the system in ROOT, without running its scripts, and records it as
# installed.
unpack() {
    local name database=$1/var/lib/dpkg
    name=$(dpkg-deb -f "$2" Package)
    [[ $(dpkg-deb -f "$2" Multi-Arch) != same ]] || name+=:$(dpkg-deb -f "$2" Architecture)
    dpkg-deb --fsys-tarfile "$2" | tar -x -C "$1" --keep-directory-symlink --numeric-owner
    dpkg-deb --ctrl-tarfile "$2" | tar -x -C "$database/info" --transform "s,^\./,$name.," --exclude=./control
    dpkg-deb --fsys-tarfile "$2" | tar -t | sed -E 's,^\.,,; s,/$,,; s,^$,/.,' >"$database/info/$name.list"
    { dpkg-deb -f "$2" && say "Status: install ok installed" ""; } >>"$database/status"
}

# unpack_all ROOT PACKAGE…: makes a system in ROOT of packages. An interrupted run leaves no ROOT.
unpack_all() {
    local new=$1.new package
    rm -rf --one-file-system "$1" "$new"
    mkdir -p "$new"/usr/{bin,lib,sbin} "$new"/var/lib/dpkg/{info,updates,triggers}
    ln -s usr/{bin,lib,sbin} "$new"
    say 1 >"$new/var/lib/dpkg/info/format"
    for package in "${@:2}"; do unpack "$new" "$package"; done
    mv "$new" "$1"
}

# inside ROOT COMMAND…: runs a command, as root, in the system in ROOT, where these sources have the same path. The array
# `mounts` has pairs of a folder and the place where the system has it.
mounts=()
inside() {
    # By default, unshare makes all mounts private, which fails in a chroot whose root is no mount. So only ROOT is private.
    # shellcheck disable=SC2016,SC2154  # the variables are those of sh; common.sh sets top
    unshare --mount --propagation unchanged sh -ec 'root=$1 && shift
        mount --bind "$root" "$root" && mount --make-private "$root"
        trap "umount --lazy \"\$root\"" EXIT
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev"
        while [ "$1" != -- ]; do mkdir -p "$root$2" && mount --bind "$1" "$root$2" && shift 2; done
        shift && chroot "$root" "$@"' \
        sh "$1" "$top" "$top" "${mounts[@]}" -- env -i HOME=/root LC_ALL=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}
