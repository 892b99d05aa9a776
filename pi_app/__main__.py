"""`python -m pi_app` is `trapdial`."""

from pi_app.cli.entry import main

if __name__ == "__main__":
    main()
