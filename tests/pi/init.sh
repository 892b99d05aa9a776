#!/usr/bin/busybox sh
# The board's first program: mount, load the kernel's I2C drivers, run the checks.
export PATH=/usr/bin LANG=C.UTF-8 TZ=UTC HOME=/tmp PYTHONPATH=/project:/opt/site PYTHONPYCACHEPREFIX=/tmp/cache
busybox mount -t proc proc /proc
busybox mount -t sysfs sysfs /sys
busybox mount -t devtmpfs dev /dev
busybox mount -t tmpfs tmpfs /tmp
for module in i2c-dev i2c-bcm2835 i2c-mux i2c-mux-pca954x; do
    busybox insmod "/modules/$module.ko"
done
# gpiozero reads the revision, which a Pi's firmware tells and QEMU does not: a Pi 3 B.
printf 'Revision\t: a02082\nModel\t\t: the Pi stage\n' > /tmp/cpuinfo
busybox mount --bind /tmp/cpuinfo /proc/cpuinfo
date -s "@$(busybox sed 's/.*trapdial.date=\([0-9]*\).*/\1/' /proc/cmdline)" > /tmp/date
cd /tmp || exit 1
python3 -m tests.pi.inside
echo "PI ended $?"
sleep 1000
