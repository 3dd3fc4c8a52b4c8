package part

import (
	"slices"

	"zproxy/sqlerr"
)

// Function is how DDL calls a kind of part: date_trunc('unit', column).
type Function struct {
	Name  string
	Usage string // with its arguments
	Texts bool   // a text may have it as a piece
	takes []ArgKind
	make  func(args []Arg) (Part, *sqlerr.Error)
}

// Arg is an argument of a function.
type Arg struct {
	Kind   ArgKind
	Source        // of a ColumnArg
	Text   string // of a TextArg
	Number int64  // of a NumberArg
}

// ArgKind is what an argument is.
type ArgKind uint8

// The kinds of arguments.
const (
	ColumnArg ArgKind = iota
	TextArg
	NumberArg
)

// called is a kind that DDL calls as a function.
type called interface{ function() Function }

// Functions are all functions, in the order of the kinds.
func Functions() []Function {
	var out []Function
	for _, k := range kinds {
		if c, ok := k.(called); ok {
			out = append(out, c.function())
		}
	}
	return out
}

// FunctionOf finds a function by its name.
func FunctionOf(name string) (Function, bool) {
	all := Functions()
	i := slices.IndexFunc(all, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return Function{}, false
	}
	return all[i], true
}

// Takes says whether a function can be called with arguments of some kinds.
func (f *Function) Takes(args []Arg) bool {
	return slices.EqualFunc(args, f.takes, func(a Arg, kind ArgKind) bool { return a.Kind == kind })
}

// Make is the part that the function makes of arguments that it takes.
func (f *Function) Make(args []Arg) (Part, *sqlerr.Error) { return f.make(args) }
