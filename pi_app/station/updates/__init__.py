"""Two installed programs side by side, and the way from one to the next and back."""
