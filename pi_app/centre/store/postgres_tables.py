"""The tables of a centre's database in PostgreSQL."""

from __future__ import annotations

from typing import Final

from pi_app.centre.store.clock_rows import SCHEMA as CLOCK_SCHEMA
from pi_app.centre.store.evidence_rows import SCHEMA as EVIDENCE_SCHEMA
from pi_app.centre.store.own_log_rows import SCHEMA as OWN_LOG_SCHEMA

TABLES: Final = (
    """
CREATE TABLE version (number integer NOT NULL);
CREATE TABLE records (
    number   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin   text NOT NULL UNIQUE,
    name     text NOT NULL,
    shop     text NOT NULL,
    size     bigint NOT NULL DEFAULT 0,
    known    bytea NOT NULL,
    cosigned text NOT NULL DEFAULT '',
    seen_s  bigint NOT NULL DEFAULT 0,
    behind   bigint NOT NULL DEFAULT 0,
    revoked  boolean NOT NULL DEFAULT false,
    closed   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE TABLE entries (
    record integer NOT NULL,
    seq    bigint NOT NULL,
    public bytea,
    sealed bytea,
    leaf   bytea NOT NULL,
    PRIMARY KEY (record, seq)
) WITH (toast_tuple_target = 8160);
ALTER TABLE entries ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE TABLE games (
    record integer NOT NULL,
    game   text NOT NULL,
    first  bigint NOT NULL,
    last   bigint NOT NULL,
    state  text NOT NULL,
    place  bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (record, game)
);
CREATE TABLE facts (
    record  integer PRIMARY KEY,
    upto    bigint NOT NULL DEFAULT 0,
    emptied integer NOT NULL DEFAULT 0,
    data    bytea NOT NULL DEFAULT ''
);
CREATE TABLE findings (
    one  integer PRIMARY KEY CHECK (one = 1),
    data bytea NOT NULL
);
CREATE TABLE codes (
    code    bytea PRIMARY KEY,
    name    text NOT NULL,
    shop    text NOT NULL,
    until_s bigint NOT NULL
);
CREATE TABLE witnessed (
    origin text PRIMARY KEY,
    size   bigint NOT NULL,
    note   text NOT NULL
);
"""
    + EVIDENCE_SCHEMA
    + CLOCK_SCHEMA
    + OWN_LOG_SCHEMA
)
"""Sealed halves do not compress, so PostgreSQL need not try. A row of up to a page stays whole: PostgreSQL would cut up
every one of more than 2 kB, which the first entries of a game have."""
