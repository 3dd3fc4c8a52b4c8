package interpret

import (
	_ "embed" // of the names of conditions
	"strings"

	"zproxy/plpgsql"
	"zproxy/sqlerr"
)

//go:embed conditions.txt
var conditionsText string

// codes are the codes of a condition by its name, of which PostgreSQL has several for some.
func codes(name string) (out []string) {
	for line := range strings.Lines(conditionsText) {
		if n, code, _ := strings.Cut(strings.TrimSpace(line), " "); n == name {
			out = append(out, code)
		}
	}
	return out
}

// code is the code that a condition of RAISE means.
func code(condition string) (sqlerr.Code, error) {
	if c, ok := strings.CutPrefix(condition, "%"); ok {
		return sqlerr.Code(c), nil
	}
	if found := codes(condition); found != nil {
		return sqlerr.Code(found[0]), nil
	}
	return "", sqlerr.New(sqlerr.UndefinedObject, "unrecognized exception condition \"%s\"", condition)
}

// catches says whether a handler is for an error. OTHERS is for all but those that end a statement from outside.
func catches(h *plpgsql.Handler, of sqlerr.Code) (bool, error) {
	for _, c := range h.Conditions {
		if c == "others" {
			if of != sqlerr.QueryCanceled && of != "P0004" {
				return true, nil
			}
			continue
		}
		want := []string{strings.TrimPrefix(c, "%")}
		if !strings.HasPrefix(c, "%") {
			if want = codes(c); want == nil {
				return false, sqlerr.New(sqlerr.UndefinedObject, "unrecognized exception condition \"%s\"", c)
			}
		}
		for _, w := range want {
			if w == string(of) || strings.HasSuffix(w, "000") && w[:2] == string(of[:2]) {
				return true, nil
			}
		}
	}
	return false, nil
}
