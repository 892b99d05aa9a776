"""Certificates of strangers, and a server that shows one and keeps what it is sent."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def has_openssl() -> bool:
    """Whether the program that makes the certificates is here."""
    return shutil.which("openssl") is not None


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def make_authority(folder: Path, name: str, *, strict: bool = False) -> Path:
    """Make an authority; return its certificate. `strict`: with all that RFC 5280 asks of it, as public ones have and
    OpenSSL's own command leaves out; Python 3.13 asks for it too."""
    words = ("req", "-x509", *KEY, "-days", "3650", "-subj", f"/CN={name}")
    extensions: tuple[str, ...] = ("-addext", "basicConstraints=critical,CA:TRUE")
    if strict:
        extensions += ("-addext", "keyUsage=critical,keyCertSign")
    _openssl(folder, *words, *extensions, "-keyout", f"{name}.key", "-out", f"{name}.pem")
    return folder / f"{name}.pem"


def make_certificate(folder: Path, name: str, authority: str, subject: str, dates: Sequence[str]) -> Path:
    """Make a certificate for a subject, such as `IP:127.0.0.1`, signed by an authority of this folder; `dates`: its
    first and last, as `20260101000000Z`. Return the certificate, with its key behind it."""
    _openssl(folder, "req", *KEY, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    (folder / "index.txt").write_text("", encoding="ascii")
    (folder / f"{name}.cnf").write_text(
        "[ca]\ndefault_ca = one\n[one]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\n"
        "default_md = sha256\npolicy = any\nunique_subject = no\nx509_extensions = more\n[any]\ncommonName = supplied\n"
        f"[more]\nsubjectAltName = {subject}\nauthorityKeyIdentifier = keyid\nsubjectKeyIdentifier = hash\n",
        encoding="ascii",
    )
    dated = ("-startdate", dates[0], "-enddate", dates[1])
    signed = ("-cert", f"{authority}.pem", "-keyfile", f"{authority}.key", "-in", f"{name}.csr", "-out", f"{name}.crt")
    _openssl(folder, "ca", "-batch", "-notext", "-config", f"{name}.cnf", *dated, *signed)
    whole = folder / f"{name}.pem"
    whole.write_bytes((folder / f"{name}.crt").read_bytes() + (folder / f"{name}.key").read_bytes())
    return whole


@dataclass
class Impostor:
    """A server with a certificate. `got`: what it was sent inside TLS; `connections`: how many came."""

    address: str = ""
    connections: int = 0
    got: bytearray = field(default_factory=bytearray)


def _answer(inside: ssl.SSLSocket, got: bytearray) -> None:
    """Read one request whole, and answer it."""
    request = bytearray()
    while not _is_whole(request) and (data := inside.recv(65_536)):
        request += data
        got += data
    if request:
        inside.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def _is_whole(request: bytes | bytearray) -> bool:
    head, end, body = bytes(request).partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *([0-9]+)", head)
    return bool(end) and len(body) >= (int(length[1]) if length else 0)


@contextlib.contextmanager
def impostor(certificate: Path) -> Iterator[Impostor]:
    """Run one until the end, one connection after the other. It takes whatever it is sent, and answers 200."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    listener = socket.create_server(("127.0.0.1", 0))
    made = Impostor(f"https://127.0.0.1:{listener.getsockname()[1]}/")

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                asked, _ = listener.accept()
                made.connections += 1
                asked.settimeout(10)
                with contextlib.suppress(OSError), tls.wrap_socket(asked, server_side=True) as inside:
                    _answer(inside, made.got)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield made
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
