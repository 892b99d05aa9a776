"""The centre: it keeps the records of many tables, cosigns what it keeps, and shows an auditor what stands out."""
