package session

import (
	"fmt"

	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/plpgsql"
	"zproxy/plpgsql/interpret"
	"zproxy/session/cursor"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Open implements interpret.Cursors.
func (e *plEngine) Open(name string, o interpret.Opening) (string, error) {
	st, params, err := e.opened(o)
	if err != nil {
		return "", err
	}
	if st.Columns == nil {
		return "", sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot open %s query as cursor",
			ddl.CommandName(st.tree))
	}
	text := statementText(st.text)
	if err := e.refuseSideEffects(e.c, st); err != nil {
		return "", text.located(err)
	}
	if e.calls.fixed == 0 {
		e.txn.NextStatement()
	}
	its := *st
	c := &Portal{Columns: st.Columns, Formats: make([]int16, len(st.Columns)), statement: &its, params: params,
		lifetime: lifetime{cursor: true, looped: o.Loop}}
	c.pos.Hidden = its.hidden()
	switch {
	case o.Scroll == plpgsql.DoScroll && st.locked != nil:
		return "", text.located(sqlerr.New(sqlerr.FeatureNotSupported,
			"DECLARE SCROLL CURSOR ... FOR UPDATE/SHARE is not supported").
			WithDetail("Scrollable cursors must be READ ONLY."))
	case o.Scroll == plpgsql.DoScroll:
		c.pos.Scroll = cursor.AnyRows
	case o.Scroll == plpgsql.MayScroll && st.locked == nil:
		c.pos.Scroll = cursor.FewRows
	}
	if name == "" {
		name = e.unnamedPortal()
	}
	if err := e.portals.add(name, c); err != nil {
		return "", text.located(err)
	}
	if c.isSelect() {
		err = e.runner.open(e.ctx, c)
	}
	if err != nil {
		e.portals.close(name)
	}
	return name, text.located(err)
}

// opened is the statement that a cursor is opened for, with the values of its parameters.
func (e *plEngine) opened(o interpret.Opening) (*Statement, []types.Value, error) {
	if o.Query != nil {
		p, err := e.prepare(o.Query, o.Frame, !o.Hidden)
		if err != nil {
			return nil, nil, err
		}
		return p.st, p.values(o.Frame), nil
	}
	list, params, err := e.dynamic(o.Text, o.Using)
	if err != nil {
		return nil, nil, err
	}
	if len(list) != 1 {
		return nil, nil, sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot open multi-query plan as cursor")
	}
	list[0].cursor = !o.Hidden
	return list[0], params, statementText(o.Text).located(e.planInner(list[0]))
}

// unnamedPortal makes a name for a cursor that has none.
func (e *plEngine) unnamedPortal() string {
	for {
		e.calls.unnamed++
		name := fmt.Sprintf("<unnamed portal %d>", e.calls.unnamed)
		if e.portals.of[name] == nil {
			return name
		}
	}
}

// IsOpen implements interpret.Cursors.
func (e *plEngine) IsOpen(name string) bool { return e.portals.of[name] != nil }

// directions are those of a FETCH, but for the one forward.
var directions = map[plpgsql.Direction]ast.Direction{plpgsql.Backward: ast.Backward,
	plpgsql.Absolute: ast.Absolute, plpgsql.Relative: ast.Relative}

// Fetch implements interpret.Cursors.
func (e *plEngine) Fetch(name string, to interpret.Position,
	each func(interpret.Row) (bool, error)) (interpret.Row, int64, error) {
	from, err := e.portals.cursor(name)
	if err != nil {
		return interpret.Row{}, 0, err
	}
	tree := &ast.Fetch{Cursor: name, Move: to.Move, Direction: directions[to.Direction], Count: to.Number}
	shape, emit := rowOf(from.statement, nil), cursor.Skip
	if !to.Move {
		emit = func(b *types.Batch) error {
			for i := range b.Len() {
				row := shape
				row.Values = append(types.Row{}, b.Row(i)...)
				if _, err := each(row); err != nil {
					return err
				}
			}
			return nil
		}
	}
	_, n, err := e.cursors.read(e.ctx, reading{from, tree, e.calls.client}, emit)
	e.retries.forget() // the statement of the cursor may write, and is not all that the transaction does
	return shape, n, err
}

// Close implements interpret.Cursors.
func (e *plEngine) Close(name string) error { return e.portals.drop(name) }

// Leave implements interpret.Cursors.
func (e *plEngine) Leave(name string) { e.portals.close(name) }
