"""The pages of phones in real browsers, networks and hands: evidence that takes minutes (`make pages-test`)."""
