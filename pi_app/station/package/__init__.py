"""The Debian package: `make deb` builds it, for amd64 and arm64, on any machine, without root."""
