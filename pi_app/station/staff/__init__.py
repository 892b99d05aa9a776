"""What the staff gets: the page behind a PIN, the sheet, the self-test, opening hours, and reports on a stick."""
