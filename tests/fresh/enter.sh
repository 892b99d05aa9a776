#!/bin/sh
# Runs a command in a root file system, with this machine's network: enter.sh ROOT USER FOLDER SHM COMMAND [PATH...]
# USER: the number of a user. SHM: rw or ro. PATHs of this machine are seen inside, read-only. It is started in
# namespaces of its own, which end with the command, and all mounts with them.
set -eu
root=$1 user=$2 folder=$3 shm=$4 command=$5
shift 5
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o "mode=1777,$shm" tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
for path in "$@"; do
    if [ -d "$path" ]; then
        mkdir -p "$root$path"
    else
        mkdir -p "$(dirname "$root$path")"
        [ -e "$root$path" ] || : > "$root$path"
    fi
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro "$root$path"
done
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all \
    env PATH=/usr/local/bin:/usr/bin:/bin sh -c "cd '$folder' && $command"
