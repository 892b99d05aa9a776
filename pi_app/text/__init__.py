"""Words and files for people: languages, suggestions, errors, files that a person wrote. No game here."""
