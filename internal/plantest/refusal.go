package plantest

import (
	"errors"
	"fmt"
	"strings"

	"zproxy/sqlerr"
)

// Refusal is the line of an error, a caret below its place, and what the client sees.
func Refusal(sql string, err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	var b strings.Builder
	if e.Position > 0 {
		before := sql[:e.Position-1]
		start := strings.LastIndexByte(before, '\n') + 1
		line, _, _ := strings.Cut(sql[start:], "\n")
		fmt.Fprintf(&b, "%s\n%s^\n", line, strings.Repeat(" ", len(before)-start))
	}
	fmt.Fprintf(&b, "%s: %s\n", e.Code, e.Message)
	if e.Detail != "" {
		fmt.Fprintf(&b, "detail: %s\n", e.Detail)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", e.Hint)
	}
	return b.String()
}
