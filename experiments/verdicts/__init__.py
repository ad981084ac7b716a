"""How good is the verdict? Files of scores whose truth is known, and what a report says of them."""
