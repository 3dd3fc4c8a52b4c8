package parser

import (
	"strings"

	"zproxy/sqlerr"
)

// The limits of what is read. Two megabytes of C stack carry 4,000 levels of an expression
// through the parser and 1,000 through the printer of defaults; with more the process dies.
// A token makes at most two levels. Threads have eight megabytes by default.
const (
	maxText   = 16 << 20 // bytes
	maxTokens = 1 << 20  // half a gigabyte as a tree
	maxDepth  = 1000
	// maxOperators is what runs of operator characters may cost, about a third of a second.
	maxOperators = 1 << 26
)

// guard refuses text that PostgreSQL's parser must not see: being C, it would read it
// wrongly or take the process down.
func guard(sql string, w *watch) error {
	if len(sql) > maxText {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "statement is longer than %d bytes", maxText)
	}
	if len(sql) <= maxDepth && !mayCopy(sql) {
		return nil // every level takes a byte
	}
	if operatorCost(sql) > maxOperators {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "statement has too many operator characters in a row")
	}
	list, err := scan(sql, w)
	if err != nil {
		return err
	}
	if len(list) > maxTokens {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "statement has more than %d words", maxTokens)
	}
	toks := tokens{text: sql, list: code(list)}
	if depth(toks) > maxDepth {
		return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded")
	}
	if copies(toks, maxTokens) > maxTokens {
		return sqlerr.New(sqlerr.ProgramLimitExceeded,
			"statement has too many copies of what it assigns to several columns")
	}
	return nil
}

// operatorCost is how many characters PostgreSQL's lexer looks at for runs of operator
// characters: at every + and every start of a comment it looks at what is left of the run.
// The statement cannot end meanwhile, since C does not ask whether it is to.
func operatorCost(sql string) int {
	cost, stops, start := 0, 0, 0
	for i := range len(sql) {
		switch c := sql[i]; {
		case !strings.ContainsRune("+-*/<>=~!@#%^&|`?", rune(c)):
			cost += stops * (i - start)
			stops, start = 0, i+1
		case c == '+' || c == '*' && i > start && sql[i-1] == '/':
			stops++
		}
	}
	return cost + stops*(len(sql)-start)
}
