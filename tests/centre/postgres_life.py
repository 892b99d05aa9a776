"""`python -m tests.centre.postgres_life`: a centre's hand-overs over a PostgreSQL that it starts, under strace.

It reads one line of JSON: the cluster, the file in which it notes what tables were answered, and chance. Each note is
one write, after the answer: so the trace has it in its place among PostgreSQL's own writes.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import psycopg

from pi_app.centre.store.cluster import Cluster
from pi_app.centre.store.postgres import PostgresStore
from tests.centre.cut_tables import TABLES, enrol, hand_over, read_played


def main() -> None:
    asked = json.loads(sys.stdin.readline())
    here = Cluster(asked["conninfo"], Path(asked["folder"]), Path(asked["programs"]), asked["user"], asked["options"])
    draw = random.Random(asked["seed"])
    told = os.open(asked["told"], os.O_WRONLY | os.O_CREAT, 0o600)
    read_played(Path(asked["played"]))
    here.start()
    store = PostgresStore(here.conninfo)
    for table in range(TABLES):
        enrol(store, table)
    for number in range(asked["steps"]):
        for origin, note in hand_over(store, draw):
            os.write(told, json.dumps([origin, note]).encode() + b"\n")
        if number % asked["checkpoint_each"] == asked["checkpoint_each"] - 1:
            with psycopg.connect(here.conninfo, autocommit=True) as db:
                db.execute("CHECKPOINT")
    store.close()
    here.control("-m", "immediate", "stop")


if __name__ == "__main__":
    main()
