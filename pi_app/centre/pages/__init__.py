"""The auditor's page: every table in a row of words, one table, one game's audit, and figures for programs."""
