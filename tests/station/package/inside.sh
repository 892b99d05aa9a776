#!/bin/sh
# Runs a command in a root file system: inside.sh ROOT COMMAND. It is started in namespaces of its own, which have no
# network; they end with the command, and all mounts with them.
set -eu
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/tmp"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive sh -c "cd /root && $2"
