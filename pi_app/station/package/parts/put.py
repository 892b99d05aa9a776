"""What the package's scripts run: `put.py install` and `put.py remove`, with the code of the package's own wheel."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
PAYLOAD = Path(__file__).resolve().parent
sys.path[:0] = [str(wheel) for wheel in PAYLOAD.glob("wheels/trapdial-*.whl")]

if __name__ == "__main__":  # the processes that compile import this file too
    from pi_app.station.updates.placing import main

    sys.exit(main(sys.argv[1:], PAYLOAD))
