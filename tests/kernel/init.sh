# The guest's first program. The host's files are the lower layer, read-only; writes go to memory.
# Arguments: the project's folder, then the command to run there.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
mount -t tmpfs none /mnt || exit 1
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root || exit 1
cd /mnt/root
mount -t proc none proc
mount -t sysfs none sys
mount -t devtmpfs none dev
mkdir -p dev/pts dev/shm
mount -t devpts none dev/pts
mount -t tmpfs none dev/shm
mount -t configfs none sys/kernel/config
# gpiozero reads the revision of the Pi: a Pi 4 B.
printf 'Revision\t: c03115\nModel\t\t: guest of the kernel stage (no Raspberry Pi)\n' > /mnt/cpuinfo
mount --bind /mnt/cpuinfo proc/cpuinfo
project=$1
shift
exec chroot . /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$project" "$@"
