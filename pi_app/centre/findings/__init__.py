"""What an auditor should look at, from the records of many tables: pure, but for what a store is asked."""
