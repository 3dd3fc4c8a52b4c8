package expression

// reserved says whether a word cannot name an attribute in an expression.
func reserved(word string) bool { return false }
