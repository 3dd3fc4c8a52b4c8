package sqlerr

import (
	"path"
	"runtime"
	"strings"
)

// Location is where in the source an error was made.
type Location struct {
	File    string // from the root of the module: planner/bind/scope.go
	Line    int
	Routine string // with its receiver's type: scope.missing
}

// here notes who called the function of this package that calls it. Only the counter of the program is
// kept: most errors never tell it.
func here(e Error) *Error {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	e.made = pc[0]
	return &e
}

// Location says where an error was made.
func (e *Error) Location() Location {
	frame, _ := runtime.CallersFrames([]uintptr{e.made}).Next()
	dir, name := path.Split(frame.Function)
	pkg, routine, _ := strings.Cut(name, ".")
	_, dir, _ = strings.Cut(dir+pkg, "/")
	p := Location{File: path.Join(dir, path.Base(frame.File)), Line: frame.Line, Routine: e.Routine}
	if p.Routine == "" {
		p.Routine = plain(routine)
	}
	return p
}

// plain is the name of a function without what the compiler adds: of the function that a literal stands
// in, without the signs of a pointer and of type parameters.
func plain(routine string) string {
	routine = strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(routine)
	parts := strings.Split(routine, ".")
	for n := len(parts) - 1; n > 0 && isLiteral(parts[n]); n-- {
		parts = parts[:n]
	}
	return strings.Join(parts, ".")
}

// isLiteral says whether a part of a name is one that the compiler gave: func1, gowrap2, 1, or -range3.
func isLiteral(part string) bool {
	for _, prefix := range []string{"func", "gowrap", "deferwrap", ""} {
		if digits, ok := strings.CutPrefix(part, prefix); ok && digits != "" &&
			strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return strings.Contains(part, "-range")
}
