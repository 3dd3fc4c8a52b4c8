package expr

import (
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// JSONQuery is JSON_EXISTS, JSON_VALUE or JSON_QUERY: what a path finds in a document, as a value of a type. What fails
// for the data of the document, and what is not found, is replaced by other values.
type JSONQuery struct {
	Op      string   // the function
	Args    []Expr   // the document, the path, and the values of its variables
	Names   []string // of the variables
	Wrapper string   // UNCONDITIONAL or CONDITIONAL; empty: none
	Omits   bool     // strings come without quotes
	Whole   bool     // a scalar comes as JSON
	Column  string   // the column of JSON_TABLE whose value it is, empty for no such one
	// Find finds the item: a boolean, a jsonb, or the text of a scalar.
	Find func(c *Context, q *JSONQuery, args []types.Value) (types.Value, error)
	// Coerce is the value of type T over a row of the item alone; nil: that is it.
	Coerce  Expr
	OnEmpty JSONBehavior
	OnError JSONBehavior
	T       types.T
}

// JSONBehavior is what comes in the place of an item. Without a value it is an error.
type JSONBehavior struct {
	Word  string // of SQL; empty: what is so without a clause
	Value Expr
}

// JSONFailure is an error of the data of a document, or that nothing is found there.
type JSONFailure struct {
	Err   error
	Empty bool
}

// Error implements error.
func (f JSONFailure) Error() string { return f.Err.Error() }

// Unwrap is the error that it is where nothing comes in its place.
func (f JSONFailure) Unwrap() error { return f.Err }

// Eval implements Expr.
func (e JSONQuery) Eval(c *Context, row types.Row) (types.Value, error) {
	args := make([]types.Value, len(e.Args))
	for i, arg := range e.Args {
		var err error
		if args[i], err = arg.Eval(c, row); err != nil {
			return types.Null, err
		}
	}
	v := types.Null
	if !args[0].IsNull() && !args[1].IsNull() {
		found, err := e.Find(c, &e, args)
		if f, failed := err.(JSONFailure); failed {
			return e.instead(c, row, f)
		} else if err != nil {
			return types.Null, err
		}
		v = found
	}
	if e.Coerce == nil {
		return v, nil
	}
	out, err := e.Coerce.Eval(c, types.Row{v})
	if err != nil && ofData(err) {
		return e.instead(c, row, JSONFailure{Err: err})
	}
	return out, err
}

// instead is what comes in the place of what failed.
func (e JSONQuery) instead(c *Context, row types.Row, f JSONFailure) (types.Value, error) {
	b, clause := e.OnError, "ON ERROR"
	if f.Empty {
		b, clause = e.OnEmpty, "ON EMPTY"
	}
	if b.Value == nil {
		return types.Null, f.Err
	}
	v, err := b.Value.Eval(c, row)
	if _, coerced := b.Value.(Constrained); err != nil && coerced && ofData(err) {
		word := b.Word
		if word == "" {
			word = "NULL"
		}
		err = sqlerr.New(sqlerr.DatatypeMismatch, "could not coerce %s expression (%s) to the RETURNING type", clause,
			strings.Fields(word)[0]).WithDetail("%s", err.Error())
	}
	return v, err
}

// ofData says whether an error is one of data: not of memory, time, or the store.
func ofData(err error) bool {
	code := sqlerr.From(err).Code
	return strings.HasPrefix(string(code), "22") || strings.HasPrefix(string(code), "23")
}

// Type implements Expr.
func (e JSONQuery) Type() types.T { return e.T }

// Inputs implements Expr.
func (e JSONQuery) Inputs() []Expr {
	in := append([]Expr(nil), e.Args...)
	for _, b := range []JSONBehavior{e.OnEmpty, e.OnError} {
		if b.Value != nil {
			in = append(in, b.Value)
		}
	}
	return in
}

// WithInputs implements Expr.
func (e JSONQuery) WithInputs(in []Expr) Expr {
	n := len(e.Args)
	e.Args = in[:n:n]
	for _, b := range []*JSONBehavior{&e.OnEmpty, &e.OnError} {
		if b.Value != nil {
			b.Value, n = in[n], n+1
		}
	}
	return e
}

// String implements Expr.
func (e JSONQuery) String() string {
	var b strings.Builder
	b.WriteString(e.Op + "(" + e.Args[0].String() + ", " + strings.TrimSuffix(e.Args[1].String(), "::jsonpath"))
	for i, name := range e.Names {
		b.WriteString([]string{", ", " PASSING "}[min(1, max(0, 1-i))] + e.Args[i+2].String() + " AS " + name)
	}
	if e.Op != "JSON_EXISTS" {
		b.WriteString(" RETURNING " + e.T.String())
	}
	if e.Op == "JSON_QUERY" {
		wrapper, quotes := " WITHOUT WRAPPER", " KEEP QUOTES"
		if e.Wrapper != "" {
			wrapper = " WITH " + e.Wrapper + " WRAPPER"
		}
		if e.Omits {
			quotes = " OMIT QUOTES"
		}
		b.WriteString(wrapper + quotes)
	}
	b.WriteString(e.OnEmpty.clause(" ON EMPTY") + e.OnError.clause(" ON ERROR") + ")")
	return b.String()
}

func (b JSONBehavior) clause(on string) string {
	switch b.Word {
	case "":
		return ""
	case "DEFAULT":
		return " DEFAULT " + b.Value.String() + on
	}
	return " " + b.Word + on
}

// mutable says whether the path may compare moments, which depends on the time zone of the session, or what is found
// becomes a value by settings.
func (e JSONQuery) mutable() bool {
	path, known := e.Args[1].(Const)
	return !known || strings.Contains(path.String(), "datetime(") || len(e.Names) > 0 ||
		e.Coerce != nil && Mutable(e.Coerce)
}

func (JSONQuery) expr() {}
