package parser

import (
	"math"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// prepare is PREPARE. Parameters, clauses and notices belong to the statement in it, not to PREPARE.
func (c *converter) prepare(n *pg.PrepareStmt) ast.Statement {
	out := &ast.Prepare{Name: n.Name, Statement: c.statement(n.Query)}
	for _, t := range n.Argtypes {
		out.Types = append(out.Types, c.typeName(t.GetTypeName()))
	}
	out.Params, c.params = c.params, 0
	c.fail(c.hints.misplaced())
	out.AllowFiltering = c.hints.allowFiltering
	out.Notices, c.hints = append(c.hints.ignored(), c.notices...), &hints{}
	out.Clauses, c.inert, c.notices = c.inert, nil, nil
	return out
}

func (c *converter) execute(n *pg.ExecuteStmt) ast.Statement {
	return &ast.ExecutePrepared{Name: n.Name, Args: c.exprs(n.Params), Pos: -1}
}

func deallocate(n *pg.DeallocateStmt) ast.Statement {
	if n.Isall {
		return &ast.Deallocate{}
	}
	return &ast.Deallocate{Name: n.Name}
}

// The options of a cursor, as in PostgreSQL's parsenodes.h.
const (
	cursorBinary      = 0x1
	cursorScroll      = 0x2
	cursorNoScroll    = 0x4
	cursorInsensitive = 0x8
	cursorAsensitive  = 0x10
	cursorHold        = 0x20
)

// declareCursor is DECLARE. Every cursor is insensitive: it reads one snapshot.
func (c *converter) declareCursor(n *pg.DeclareCursorStmt) ast.Statement {
	has := func(bits int32) bool { return n.Options&bits == bits }
	if has(cursorScroll | cursorNoScroll) {
		c.fail(sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot specify both SCROLL and NO SCROLL"))
	}
	if has(cursorInsensitive | cursorAsensitive) {
		c.fail(sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot specify both INSENSITIVE and ASENSITIVE"))
	}
	query := c.query(n.Query)
	if query != nil && len(query.Locking) > 0 && has(cursorInsensitive) {
		c.fail(sqlerr.New(sqlerr.InvalidCursorDefinition, "DECLARE INSENSITIVE CURSOR ... FOR %s is not valid",
			strings.ToUpper(query.Locking[0].Strength)).
			WithDetail("Insensitive cursors must be READ ONLY."))
	}
	return &ast.DeclareCursor{
		Name:      n.Portalname,
		Query:     query,
		Hold:      has(cursorHold),
		Binary:    has(cursorBinary),
		Scroll:    has(cursorScroll),
		NoScroll:  has(cursorNoScroll),
		Resumable: c.lifted.cursor.text != "",
		Token:     c.lifted.cursor.token,
		Text:      c.lifted.cursor.text,
	}
}

func (c *converter) fetch(n *pg.FetchStmt) ast.Statement {
	out := &ast.Fetch{Cursor: n.Portalname, Move: n.Ismove, Count: n.HowMany}
	if n.HowMany == math.MaxInt64 {
		out.Count = ast.AllRows
	}
	switch n.Direction {
	case pg.FetchDirection_FETCH_FORWARD:
	case pg.FetchDirection_FETCH_BACKWARD:
		out.Direction = ast.Backward
	case pg.FetchDirection_FETCH_ABSOLUTE:
		out.Direction = ast.Absolute
	case pg.FetchDirection_FETCH_RELATIVE:
		out.Direction = ast.Relative
	default:
		c.refuse(true, n, "this direction")
	}
	return out
}

func (c *converter) discard(n *pg.DiscardStmt) ast.Statement {
	return &ast.Discard{What: strings.ToLower(strings.TrimPrefix(n.Target.String(), "DISCARD_"))}
}

// lockModes are the modes of LOCK TABLE from 1 on, as in PostgreSQL's lockdefs.h.
func lockModes() []string {
	return []string{"access share", "row share", "row exclusive", "share update exclusive",
		"share", "share row exclusive", "exclusive", "access exclusive"}
}

func (c *converter) lockTable(n *pg.LockStmt) ast.Statement {
	out := &ast.LockTable{Tables: c.tables(n.Relations), NoWait: n.Nowait}
	c.says(true, "LOCK TABLE among processes")
	modes := lockModes()
	if n.Mode < 1 || int(n.Mode) > len(modes) {
		c.refuse(true, n, "this mode of LOCK TABLE")
		return out
	}
	out.Mode = modes[n.Mode-1]
	return out
}
