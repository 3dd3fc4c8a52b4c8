package analyze

import (
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Fields makes the fields of a row that is written out, in which t.* stands for its columns.
func (a Analysis[E]) Fields(list []ast.Expr) (out []E, err error) {
	for _, arg := range list {
		fields, err := a.make.Several(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, fields...)
	}
	return out, nil
}

func (a Analysis[E]) bothFields(left, right *ast.Row) (l, r []E, err error) {
	if l, err = a.Fields(left.Args); err == nil {
		r, err = a.Fields(right.Args)
	}
	return l, r, err
}

// rows makes a comparison of two rows that are written out.
func (a Analysis[E]) rows(sign string, left, right *ast.Row, pos ast.Pos) (out E, err error) {
	l, r, err := a.bothFields(left, right)
	switch {
	case err != nil:
		return out, err
	case len(l) != len(r):
		return out, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(pos))
	case len(l) == 0:
		return out, sqlerr.New(sqlerr.FeatureNotSupported, "cannot compare rows of zero length").At(int(pos))
	}
	return a.make.CompareRows(sign, l, r, pos)
}
