package text

import (
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/normal"
)

// normalUnits is the work of bringing one byte into a normal form.
const normalUnits = 32

// normalForm reads the name of a normal form.
func normalForm(name types.Value) (normal.Form, error) {
	f, ok := normal.Parse(name.Text())
	if !ok {
		return f, sqlerr.New(sqlerr.InvalidParameterValue, "invalid normalization form: %s", name.Text())
	}
	return f, nil
}

// inForm is a text in a normal form. It is made in pieces, each of which ends where its form does not depend on what
// follows.
func inForm(c *expr.Context, s string, f normal.Form) (types.Value, error) {
	out := c.Text(len(s))
	from, seen := 0, 0 // what is before from is in out
	err := c.Pieces(s, normalUnits, func(piece string) {
		if n := lastBegin(piece, f); n > 0 {
			out.Add(f.Text(s[from : seen+n]))
			from = seen + n
		}
		seen += len(piece)
	})
	if err != nil {
		return types.Null, err
	}
	out.Add(f.Text(s[from:]))
	return out.Value()
}

// lastBegin is where the last part of a text begins whose form does not depend on what is before it, 0 if there is
// none.
func lastBegin(s string, f normal.Form) int {
	for to := len(s); to > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:to])
		if to -= n; f.Begins(r) {
			return to
		}
	}
	return 0
}

func normalize(c *expr.Context, a, b types.Value) (types.Value, error) {
	f, err := normalForm(b)
	if err != nil {
		return types.Null, err
	}
	return inForm(c, a.Text(), f)
}

func isNormalized(c *expr.Context, a, b types.Value) (types.Value, error) {
	v, err := normalize(c, a, b)
	if err != nil {
		return types.Null, err
	}
	return types.NewBool(v.Text() == a.Text()), nil
}
