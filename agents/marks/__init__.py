"""What a model writes around its words: labels, tags, brackets, and calls in all the notations of its kin."""
