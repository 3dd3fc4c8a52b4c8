package parser

import (
	"errors"
	"strings"
	"testing"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// TestManyEnforced reads a table with hundreds of clauses, and refuses more than
// can be read in time.
func TestManyEnforced(t *testing.T) {
	parse := func(n int) (int, error) {
		text := "CREATE TABLE t (a int" + strings.Repeat(", CHECK (a > 0) NOT ENFORCED", n) + ")"
		list, err := Parse(text)
		if err != nil {
			return 0, err
		}
		not := 0
		for _, k := range list[0].Statement.(*ast.CreateTable).Checks {
			if k.NotEnforced {
				not++
			}
		}
		return not, nil
	}
	if n, err := parse(500); n != 500 || err != nil {
		t.Errorf("500 checks: %d are not enforced, %v", n, err)
	}
	var e *sqlerr.Error
	if n, err := parse(2000); !errors.As(err, &e) || e.Code != sqlerr.ProgramLimitExceeded {
		t.Errorf("2000 checks: %d are not enforced, %v", n, err)
	}
}
