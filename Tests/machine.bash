# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts can use inside a throw-away machine; SystemdMachine sources it in front of each.

# Makes a program that was built anywhere one that every user can run, in /usr/bin.
install_program() { # PATH
    local library
    install "$1" /usr/bin/
    for library in $(ldd "$1" | awk '$3 ~ "^/" { print $3 }'); do
        setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$library" \
            || install -m 644 "$library" /usr/local/lib/
    done
    ldconfig
}

# Adds lines to the section [Service] of a unit, from standard input.
extend_unit() { # UNIT
    local directory=/etc/systemd/system/$1.service.d
    mkdir -p "$directory"
    { echo '[Service]' && cat; } >>"$directory/test.conf"
    systemctl daemon-reload
}

# A property of a unit, as `show pollard StatusText`.
show() { # UNIT PROPERTY
    systemctl show --value --property="$2" "$1"
}

# Waits until a property of a unit has a value.
until_is() { # UNIT PROPERTY VALUE
    until [[ $(show "$1" "$2") == "$3" ]]; do sleep 0.02; done
}

# The entries that match, as JSON, one in each line; empty if there are none.
entries() { # MATCH...
    journalctl --sync
    journalctl --quiet --all --output=json "$@"
}

# Waits until as many entries as given match, at least.
until_entries() { # COUNT MATCH...
    until (($(entries "${@:2}" | wc -l) >= $1)); do sleep 0.05; done
}

# Asks a server on loopback for a path, so that it knows how far the script came.
tell_server() { # PORT PATH
    exec 9<>"/dev/tcp/127.0.0.1/$1"
    printf 'GET %s HTTP/1.1\r\nHost: server\r\nConnection: close\r\n\r\n' "$2" >&9
    cat <&9 >/dev/null
    exec 9>&-
}

# Installs Pollard as a package would, with a configuration, and leaves the start to the script.
install_pollard() { # CONFIGURATION
    install_program "$POLLARD"
    install -D -m 644 -t /usr/lib/systemd/system systemd/pollard.service
    install -D -m 644 -t /usr/local/lib/systemd/catalog systemd/pollard.catalog
    journalctl --update-catalog
    install -D -m 644 /dev/null /etc/pollard/pollard.yaml
    echo "$1" >/etc/pollard/pollard.yaml
    systemctl daemon-reload
}

# Lets a service trip over a call at its starts from now on, as Tests/preload/trip.c describes.
trip() { # NAME=VALUE...
    install -m 755 "$TRIP" /usr/local/lib/trip.so
    printf '%s\n' LD_PRELOAD=/usr/local/lib/trip.so "$@" >/run/trip.env
}

# Holds the thread of a process that waits in epoll_wait(2), of those whose name matches, and no
# other thread, until the process ends; returns once it is held.
hold_poller() { # PID GREP_OPTION...
    local task held=''
    until [[ $held ]]; do
        for task in "/proc/$1/task"/*; do
            if grep --quiet "${@:2}" "$task/comm" && [[ $(<"$task/wchan") == *@(epoll|ep_poll)* ]]; then
                held=${task##*/}
            fi
        done
    done
    "$HOLD" "$held" >/run/held &
    until grep --quiet held /run/held; do
        kill -0 "$!"
        sleep 0.01
    done
}

# The time in microseconds, by a clock that nobody sets.
now() {
    local up
    read -r up _ </proc/uptime
    echo "${up/./}0000"
}
