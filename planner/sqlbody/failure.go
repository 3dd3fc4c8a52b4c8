package sqlbody

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// When a body fails before it runs: as it is put in place of a call, and as a call of it begins.
const (
	Inlining = "during inlining"
	Startup  = "during startup"
)

// Failed is an error in the body of a function, which shows the text where it has a position in it.
func Failed(err error, f *catalog.Function, when string) error {
	var known *sqlerr.Error
	if !errors.As(err, &known) {
		return err
	}
	e, where := *known, fmt.Sprintf("SQL function %q %s", f.Name, when)
	if e.Position > 0 && e.Query == "" {
		e.Query, e.Position = f.Body, utf8.RuneCountInString(f.Body[:min(e.Position-1, len(f.Body))])+1
	}
	if e.Where != "" {
		where = e.Where + "\n" + where
	}
	e.Where = where
	return &e
}
