#!/bin/sh
# Installs the programs that some tests need, through apt, if that needs no password. Otherwise
# prints how to install each. It never fails: a test whose program is missing says so.

root=
if [ "$(id -u)" != 0 ]; then
    root="sudo -n"
    sudo -n true >/dev/null 2>&1 || root=no
fi
export DEBIAN_FRONTEND=noninteractive

# /usr/sbin is not on every user's path.
PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin

# have PROGRAM ...: whether one of them is there
have() {
    for program in "$@"; do
        command -v "$program" >/dev/null 2>&1 && return 0
    done
    return 1
}

# get PACKAGES: through apt
get() {
    [ "$root" != no ] && have apt-get || return 1
    echo "Installing $1 (apt-get install), which tests need"
    install="$root apt-get install -y -qq --no-install-recommends $1"
    $install >/dev/null 2>&1 && return 0
    $root apt-get update -qq >/dev/null 2>&1
    $install >/dev/null 2>&1
}

# missing NAME WHY DEBIAN HOMEBREW WINGET [COMMAND]
missing() {
    case "$(uname -s)" in
        Darwin) how="brew install $4" ;;
        Linux)
            how="apt install $3 (or your distribution's package of it)"
            if have sudo; then
                how="sudo $how"
            elif [ "$(id -u)" != 0 ]; then
                how="$how, as root"
            fi
            ;;
        *) how="winget install $5" ;;
    esac
    [ -z "$6" ] || how="$how, or without root: $6"
    echo "noughts: $1 is missing, $2; install it with: $how" >&2
}

have qemu-system-arm || get qemu-system-arm ||
    missing QEMU "which a test compares with our emulator" qemu-system-arm qemu \
        SoftwareFreedomConservancy.QEMU
# own_chromium: whether Playwright has fetched its own for this user
own_chromium() {
    cache=$HOME/.cache
    [ "$(uname -s)" != Darwin ] || cache=$HOME/Library/Caches
    for folder in "${PLAYWRIGHT_BROWSERS_PATH:-$cache/ms-playwright}"/chromium*; do
        [ -d "$folder" ] && return 0
    done
    return 1
}

# The headless shell spares CPU; not every system has a package of it.
have chromium chromium-browser google-chrome || own_chromium ||
    get "chromium chromium-headless-shell" || get chromium ||
    missing Chromium "in which tests open the page" chromium "--cask chromium" Hibbiki.Chromium \
        ".venv/bin/python -m playwright install chromium"
if [ "$(uname -s)" = Linux ] && ! ldconfig -p 2>/dev/null | grep -q libatomic.so.1; then
    get libatomic1 ||
        missing libatomic1 "which Playwright needs to start Chromium" libatomic1
fi
# Debian starts the broker that it installs. Stop it: tests start their own.
had_mosquitto=$(command -v mosquitto)
have mosquitto || get mosquitto ||
    missing mosquitto "an MQTT broker, which connects rooms in tests" mosquitto mosquitto \
        EclipseFoundation.Mosquitto
if [ -z "$had_mosquitto" ] && have mosquitto; then
    { $root systemctl disable --now mosquitto || $root service mosquitto stop; } >/dev/null 2>&1
fi
exit 0
