"""`centre.toml`: its values, and every refusal as a whole sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.centre import settings as module
from pi_app.centre.settings import CentreSettings, OwnLogSettings, ReaderSettings, TlsSettings, load, parse
from pi_app.journal.record.checkpoints import record_key
from pi_app.journal.record.keys import device_key
from pi_app.text.errors import UserFileError
from tests.pi_app.centre.records import CENTRE

NAME = 'name = "centre.example/c1"\n'
LOG = record_key(device_key(b"l" * 32).public)
WITNESS = CENTRE.verifier
HASH = "0" * 64
LISTEN = f"c.toml listen = 'nowhere': {module.LISTEN}"
WHERE = Path("/shop/c.toml")


def good(text: str) -> CentreSettings:
    read = parse(text, Path("c.toml"))
    assert isinstance(read, CentreSettings), read
    return read


def errors(text: str) -> list[str]:
    read = parse(text, Path("c.toml"))
    assert not isinstance(read, CentreSettings)
    return [str(problem) for problem in read]


def test_a_name_is_enough() -> None:
    found = good(NAME)
    assert found == CentreSettings(where=Path("c.toml"), name="centre.example/c1")
    assert (found.address, found.url, found.is_postgres) == (("127.0.0.1", 8460), "http://127.0.0.1:8460/", False)
    assert (found.store, found.key, found.logs) == ("centre.db", "centre.key", ())


def test_what_is_written_is_read() -> None:
    text = f"""
    {NAME}
    listen = "[::]:443"
    store = "postgresql:///trapdial"
    key = "/etc/trapdial/centre.key"
    [tls]
    certificate = "chain.pem"
    key = "key.pem"
    [[witness_only]]
    key = "{LOG.text()}"
    [own_log]
    origin = "centre.example/log"
    [[own_log.witness]]
    key = "{WITNESS.text()}"
    address = "https://witness.example/"
    [[reader]]
    name = "Ann"
    role = "auditor"
    token_sha256 = "{HASH}"
    [[reader]]
    name = "Brass Cog"
    role = "shop"
    shop = "Brass Cog"
    token_sha256 = "{HASH}"
    [[reader]]
    name = "everybody"
    role = "public"
    """
    found = parse(text, WHERE)
    assert isinstance(found, CentreSettings)
    assert (found.address, found.url, found.is_postgres) == (("::", 443), "https://[::]:443/", True)
    assert found.tls == TlsSettings(certificate="chain.pem", key="key.pem")
    assert found.beside(found.key) == Path("/etc/trapdial/centre.key")
    assert found.beside("chain.pem") == Path("/shop/chain.pem")
    assert found.logs == (LOG,)
    assert isinstance(found.own_log, OwnLogSettings)
    assert found.own_log.origin == "centre.example/log"
    assert [(each.verifier, each.address) for each in found.own_log.witnesses] == [
        (WITNESS, "https://witness.example/")
    ]
    assert found.readers == (
        ReaderSettings(name="Ann", role="auditor", token_sha256=HASH),
        ReaderSettings(name="Brass Cog", role="shop", shop="Brass Cog", token_sha256=HASH),
        ReaderSettings(name="everybody", role="public"),
    )
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "c.toml: 'name' is missing; it must be a name of at most 255 letters without spaces and +, such as "
            "'centre.example/c1'",
        ),
        (
            'name = "my centre"',
            "c.toml name = 'my centre': must be a name of at most 255 letters without spaces and +, such as "
            "'centre.example/c1'",
        ),
        (f"{NAME}lisen = 1", "c.toml: there is no key 'lisen'; did you mean 'listen'?"),
        (f'{NAME}listen = "nowhere"', LISTEN),
        (f'{NAME}listen = "127.0.0.1:0"', LISTEN.replace("nowhere", "127.0.0.1:0")),
        (f'{NAME}listen = "127.0.0.1:65536"', LISTEN.replace("nowhere", "127.0.0.1:65536")),
        (f'{NAME}listen = "::1:443"', LISTEN.replace("nowhere", "::1:443")),
        (f'{NAME}listen = "[127.0.0.1]:443"', LISTEN.replace("nowhere", "[127.0.0.1]:443")),
        (f'{NAME}listen = "a b:443"', LISTEN.replace("nowhere", "a b:443")),
        (f"{NAME}tls = 1", "c.toml tls = 1: must be a section that begins with [tls]"),
        (
            f'{NAME}[tls]\ncertificate = "c.pem"',
            "c.toml [tls]: 'key' is missing; it must be the name of a file",
        ),
        (
            f'{NAME}[[witness_only]]\nkey = "{WITNESS.text()}"',
            f"c.toml [[witness_only]] 1 key = '{WITNESS.text()[:56]}...: it is the key of a witness, and not that of a "
            "log: a log's key is of type 01; copy it once more from its owner",
        ),
        (
            f'{NAME}[[witness_only]]\nkey = "{LOG.text()}"\n[[witness_only]]\nkey = "{LOG.text()}"',
            f"c.toml [[witness_only]] 2 key = '{LOG.text()[:56]}...: {LOG.name} stands further up; name each once",
        ),
        (
            f'{NAME}[own_log]\norigin = "a b"',
            "c.toml [own_log] origin = 'a b': must be a name of at most 200 letters without spaces and +, such as "
            "'centre.example/log'",
        ),
        (
            f'{NAME}[own_log]\norigin = "a"\nwitnesses = []',
            "c.toml [own_log]: there is no key 'witnesses'; did you mean 'witness'?",
        ),
        (
            f'{NAME}[own_log]\norigin = "a"\nwitness = 3',
            "c.toml own_log.witness: must be sections that begin with [[own_log.witness]]",
        ),
        (
            f'{NAME}[own_log]\norigin = "a"\n[[own_log.witness]]\nkey = "{WITNESS.text()}"\naddress = "w.example"',
            "c.toml [[own_log.witness]] 1 address = 'w.example': must be an address of a witness, such as "
            "'https://w.example/'",
        ),
        (
            f'{NAME}[own_log]\norigin = "a"\n[[own_log.witness]]\nkey = "{LOG.text()}"\naddress = "https://w.example/"',
            f"c.toml [[own_log.witness]] 1 key = '{LOG.text()[:56]}...: it is the key of a log, and not that of a "
            "witness: a witness's key is of type 04; copy it once more from its owner",
        ),
        (
            f'{NAME}[[reader]]\nname = "Ann"\nrole = "owner"',
            "c.toml [[reader]] 1 role = 'owner': must be 'auditor', 'shop' or 'public'",
        ),
        (
            f'{NAME}[[reader]]\nname = "Ann"\nrole = "auditor"',
            "c.toml [[reader]] 1 role = 'auditor': needs a token; write its `token_sha256`",
        ),
        (
            f'{NAME}[[reader]]\nname = "Ann"\nrole = "shop"\ntoken_sha256 = "{HASH}"',
            "c.toml [[reader]] 1 role = 'shop': names no `shop`; write the only one that it may see",
        ),
        (
            f'{NAME}[[reader]]\nname = "Ann"\nrole = "auditor"\nshop = "x"\ntoken_sha256 = "{HASH}"',
            "c.toml [[reader]] 1 role = 'auditor': sees more than one shop; leave `shop` out",
        ),
        (
            f'{NAME}[[reader]]\nname = "Ann"\nrole = "auditor"\ntoken_sha256 = "123"',
            "c.toml [[reader]] 1 token_sha256 = '123': must be the SHA-256 of a token: 64 hex digits",
        ),
        (
            f'{NAME}[[reader]]\nname = "Ann"\nrole = "public"\n[[reader]]\nname = "ann"\nrole = "public"',
            "c.toml [[reader]] 2 name = 'ann': is the name of another reader; choose another",
        ),
        (
            "name = ",
            "c.toml line 1: the file ends in the middle of something; was it cut off?",
        ),
    ],
)
def test_a_wrong_value_is_refused(text: str, message: str) -> None:
    assert errors(text) == [message]


@pytest.mark.parametrize(
    ("listen", "warned"),
    [("127.0.0.1:1", False), ("[::1]:1", False), ("localhost:1", False), ("0.0.0.0:1", True), ("c.example:1", True)],
)
def test_an_open_address_without_tls_is_warned_of(listen: str, warned: bool) -> None:
    found = good(f'{NAME}listen = "{listen}"')
    assert [str(each) for each in found.warnings] == ([f"c.toml listen = '{listen}': {module.OPEN}"] if warned else [])
    assert not good(f'{NAME}listen = "{listen}"\n[tls]\ncertificate = "a"\nkey = "b"').warnings


def test_a_file_is_loaded_or_refused_with_all_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "centre.toml"
    with pytest.raises(
        UserFileError, match=r"there is no such file.*, or make a centre with: trapdial centre new FOLDER"
    ):
        load(path)
    path.write_text(NAME)
    assert load(path).beside("x") == tmp_path / "x"
    path.write_text('listen = "nowhere"\nkey = 3')
    with pytest.raises(UserFileError) as raised:
        load(path)
    assert len(raised.value.problems) == 3
