package executor

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// check finds what forbids a row that is to be written, also policies of some kinds.
func (w *writer) check(row types.Row, policies ...plan.CheckKind) error {
	if w.gone(row) {
		return nil
	}
	if err := generate(w, row); err != nil {
		return err
	}
	if err := (secured{w}).allow(row, policies...); err != nil {
		return err
	}
	if err := w.checkNotNull(row); err != nil {
		return err
	}
	for _, c := range w.checks {
		if c.Of >= plan.ViewCheck {
			continue
		}
		v, err := c.Cond.Eval(w.env.Expr, row)
		if err != nil {
			return err
		}
		switch {
		case v.IsNull() || v.Bool():
			continue
		case c.Of == plan.RangeCheck:
			return outsideRange(w, row)
		}
		violation := sqlerr.New(sqlerr.CheckViolation,
			"new row for relation \"%s\" violates check constraint \"%s\"", w.table.Name, c.Name).
			WithDetail("%s", failing(w, row))
		violation.Schema, violation.Table, violation.Constraint = w.table.Schema, w.table.Name, c.Name
		return violation
	}
	if err := w.compute(row); err != nil {
		return err
	}
	return w.checkKeyValues(row)
}

// checkViews wants a row to meet the check options of views. It is asked of rows that have their keys alone: one that
// ON CONFLICT leaves out need not meet them.
func checkViews(w *writer, row types.Row) error {
	if w.gone(row) {
		return nil
	}
	for _, c := range w.checks {
		if c.Of != plan.ViewCheck {
			continue
		}
		v, err := c.Cond.Eval(w.env.Expr, row)
		if err != nil {
			return err
		}
		if !v.IsTrue() {
			return sqlerr.New(sqlerr.WithCheckOptionViolation, "new row violates check option for view %q", c.Name).
				WithDetail("%s", failing(w, row))
		}
	}
	return nil
}

// generate computes the generated columns of a row.
func generate(w *writer, row types.Row) error {
	for _, c := range w.checks {
		if c.Of != plan.Generates {
			continue
		}
		v, err := c.Cond.Eval(w.env.Expr, row)
		if err != nil {
			return err
		}
		row[c.Column] = v
	}
	return nil
}

// failing shows a row that cannot be written.
func failing(w *writer, row types.Row) string {
	return w.detail("Failing row contains (%s).", func() string { return w.rowText(row) })
}

// checkNotNull finds a NULL where a column forbids it.
func (w *writer) checkNotNull(row types.Row) error {
	for i := range w.table.Columns {
		c := &w.table.Columns[i]
		if !c.NotNull && !c.Declared || !row[i].IsNull() {
			continue
		}
		err := sqlerr.New(sqlerr.NotNullViolation,
			"null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, w.table.Name).
			WithDetail("%s", failing(w, row))
		err.Schema, err.Table, err.Column = w.table.Schema, w.table.Name, c.Name
		return err
	}
	return nil
}

// detail shows values of a row, but not to who may not read the table.
func (w *writer) detail(format string, values func() string) string {
	if w.env.Hides != nil && w.env.Hides(w.table.Table) {
		return ""
	}
	return fmt.Sprintf(format, values())
}

// shownBytes is how much of a value the detail of an error shows.
const shownBytes = 64

// rowText shows the values of a row, long ones cut.
func (w *writer) rowText(row types.Row) string {
	var out []string
	for i, c := range w.table.Columns {
		if c.Hidden {
			continue
		}
		out = append(out, w.shortText(row[i], c.Type))
	}
	return strings.Join(out, ", ")
}

// shortText shows a value, cut if it is long.
func (w *writer) shortText(v types.Value, t types.T) string {
	s := w.valueText(v, t)
	if len(s) <= shownBytes {
		return s
	}
	cut := shownBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

func (w *writer) valueText(v types.Value, t types.T) string {
	if v.IsNull() {
		return "null"
	}
	return types.FormatText(v, t, w.env.Expr.Env)
}

// uniqueViolation says that another row has the key of a row.
func (w *writer) uniqueViolation(l *layout, row types.Row) error {
	err := sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", l.name).
		WithDetail("%s", w.detail("Key %s already exists.", func() string { return w.keyText(l, row) }))
	err.Schema, err.Table, err.Constraint = w.table.Schema, w.table.Name, l.name
	return err
}

// checkKeys finds a key that is too long, among those that a row does not have already.
func (w *writer) checkKeys(c change, at []placement) error {
	for j := range at {
		if !at[j].held || at[j].stays {
			continue
		}
		l := w.layouts[j]
		if err := l.codec.CheckLength(at[j].key, w.env.Tables.Store, l.name); err != nil {
			return w.keyError(l, err)
		}
	}
	if c.new == nil {
		return nil
	}
	for _, l := range w.table.rows.carries {
		if err := l.codec.CheckLength(l.codec.Key(c.new), w.env.Tables.Store, l.name); err != nil {
			return w.keyError(l, err)
		}
	}
	return nil
}

// checkKeyValues finds a value that a key cannot have. Without it rows would share a key, so
// that goes before all that asks for keys.
func (w *writer) checkKeyValues(row types.Row) error {
	for j, l := range w.layouts {
		if !l.makes {
			continue
		}
		held, err := w.holds(j, row)
		if err != nil {
			return err
		}
		if !held {
			continue
		}
		if err := l.codec.CheckValues(row, l.name); err != nil {
			return w.keyError(l, err)
		}
	}
	for _, l := range w.table.rows.carries {
		if err := l.codec.CheckValues(row, l.name); err != nil {
			return w.keyError(l, err)
		}
	}
	return nil
}

// keyError says whose key an error is about.
func (w *writer) keyError(l *layout, err error) error {
	var violation *sqlerr.Error
	if errors.As(err, &violation) {
		violation.Schema, violation.Table, violation.Constraint = w.table.Schema, w.table.Name, l.name
	}
	return err
}

// keyText shows the key of a row: (a, b)=(1, x).
func (w *writer) keyText(l *layout, row types.Row) string {
	var names, values []string
	for _, i := range l.key {
		c := w.table.Columns[i]
		if c.ID == catalog.Element {
			names, values = append(names, "element"), append(values, elementText(row[i], c.Type))
			continue
		}
		names = append(names, c.Shown(expr.QuoteIdent))
		values = append(values, w.valueText(row[i], c.Type))
	}
	return "(" + strings.Join(names, ", ") + ")=(" + strings.Join(values, ", ") + ")"
}

// elementText shows an element of an inverted index: its texts are read best as they are.
func elementText(v types.Value, t types.T) string {
	return types.FormatText(v, t, &types.Env{EscapeBytes: true})
}
