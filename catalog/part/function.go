package part

import (
	"slices"
	"strings"

	"zproxy/sqlerr"
)

// Function is how DDL calls a kind of part: date_trunc('unit', column).
type Function struct {
	Name  string
	Usage string // with its arguments
	texts bool   // a text may have it as a piece
	takes []ArgKind
	make  func(args []Arg) (Part, *sqlerr.Error)
}

// Arg is an argument of a function.
type Arg struct {
	Kind   ArgKind
	Source        // of a ColumnArg
	Text   string // of a TextArg; of a NumberArg as it is written
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

// calls reads the parts that templates have as calls of functions.
type calls struct{}

func (calls) read(r *Template, name string) (Part, error) {
	f, ok := FunctionOf(name)
	if !ok || !f.texts {
		return Part{}, r.bad("there is no function but %s here", strings.Join(callable(), " and "))
	}
	var args []Arg
	for !r.take(")") {
		if len(args) > 0 && !r.take(",") {
			return Part{}, r.bad("it must be %s", f.Usage)
		}
		arg, err := r.argument()
		if err != nil {
			return Part{}, err
		}
		args = append(args, arg)
	}
	if !f.Takes(args) {
		return Part{}, r.bad("it must be %s", f.Usage)
	}
	p, err := f.Make(args)
	if err != nil {
		return p, err
	}
	return p, nil
}

func (calls) format(r *Template, p *Part, format string, given bool) error {
	if !given {
		return nil
	}
	return r.padded(p, format)
}

// callable are the names that templates have before parentheses.
func callable() (out []string) {
	for _, k := range kinds {
		if w, ok := k.(worded); ok {
			if word, parenthesis := w.word(); parenthesis != "" {
				out = append(out, word)
			}
		}
	}
	for _, f := range Functions() {
		if f.texts {
			out = append(out, f.Name)
		}
	}
	return out
}

// argument reads a column or a number.
func (r *Template) argument() (Arg, error) {
	r.skip()
	start := r.at
	for r.at < len(r.Text) && (r.Text[r.at] == '.' || '0' <= r.Text[r.at] && r.Text[r.at] <= '9') {
		r.at++
	}
	if text := r.Text[start:r.at]; text != "" {
		return Arg{Kind: NumberArg, Text: text}, nil
	}
	name, _, err := r.name()
	if err != nil {
		return Arg{}, err
	}
	of, err := r.source(name)
	return Arg{Kind: ColumnArg, Source: of}, err
}
