#!/bin/sh
# Installs QEMU's ARM emulator through apt, where that needs no question; else says how to install
# it, in one line. It never fails: the one test that wants QEMU says for itself what it misses.
command -v qemu-system-arm >/dev/null 2>&1 && exit 0

root=
if [ "$(id -u)" != 0 ]; then
    root="sudo -n"
    sudo -n true >/dev/null 2>&1 || root=no
fi
if [ "$root" != no ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing QEMU (apt-get install qemu-system-arm)"
    export DEBIAN_FRONTEND=noninteractive
    install="$root apt-get install -y -qq --no-install-recommends qemu-system-arm"
    $install >/dev/null 2>&1 && exit 0
    $root apt-get update -qq >/dev/null 2>&1
    $install >/dev/null 2>&1 && exit 0
fi
case "$(uname -s)" in
    Darwin) how="brew install qemu" ;;
    Linux) how="sudo apt install qemu-system-arm (or your distribution's package of that program)" ;;
    *) how="winget install SoftwareFreedomConservancy.QEMU" ;;
esac
echo "noughts: QEMU is missing, beside which a test holds our emulator; install it with: $how" >&2
exit 0
