package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// reindex is REINDEX in PostgreSQL's grammar, which also gives CONCURRENTLY as an option.
func (c *converter) reindex(n *pg.ReindexStmt) ast.Statement {
	out := &ast.Reindex{Name: ast.Name{Name: n.Name, Pos: -1}, Table: c.lifted.onTable}
	switch n.Kind {
	case pg.ReindexObjectType_REINDEX_OBJECT_INDEX:
		out.Kind = ast.IndexObject
	case pg.ReindexObjectType_REINDEX_OBJECT_TABLE:
		out.Kind = ast.TableObject
	case pg.ReindexObjectType_REINDEX_OBJECT_SCHEMA:
		out.Kind = ast.SchemaObject
	case pg.ReindexObjectType_REINDEX_OBJECT_DATABASE:
		out.Kind = ast.DatabaseObject
	default:
		out.Kind = ast.SystemCatalogs
	}
	if n.Relation != nil {
		c.refuse(n.Name != "", n.Relation, "REINDEX of this kind")
		out.Name = c.tableOnly(n.Relation)
	}
	for _, o := range c.options(n.Params) {
		switch o.Name {
		case "concurrently":
			out.Concurrently = c.flag(o)
		case "verbose":
			c.says(c.flag(o), "REINDEX option VERBOSE")
		case "tablespace":
			c.tablespace(o.Value, nil)
		default:
			c.fail(sqlerr.New(sqlerr.SyntaxError, "unrecognized REINDEX option %q", o.Name).At(int(o.Pos)))
		}
	}
	return out
}

// flag is the value of an option that is on or off; without a value it is on.
func (c *converter) flag(o ast.Option) bool {
	switch strings.ToLower(o.Value) {
	case "", "true", "on", "1":
		return true
	case "false", "off", "0":
	default:
		c.fail(sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name))
	}
	return false
}

// indexReader reads a statement about an index that PostgreSQL's grammar has no words for,
// token by token. Its first token that does not fit makes bad true.
type indexReader struct {
	tokens
	base int
	next int
	bad  bool
}

// readIndexStatement reads Lindorm's ALTER INDEX and BUILD INDEX, CHECK INDEX, and MySQL's SHOW
// INDEX, SHOW TABLES, DESCRIBE, DROP INDEX i ON t and ADMIN CHECK. Names fold as PostgreSQL's do,
// and backquotes quote them.
func readIndexStatement(src source) ([]ast.Parsed, bool) {
	toks, _ := tokenize(requote(src.text, src.watch), src.watch)
	r := &indexReader{tokens: toks, base: src.base}
	var statement ast.Statement
	switch {
	case r.accept("alter", "index"):
		statement = r.alterIndex()
	case r.accept("build", "index"):
		statement = r.buildIndex()
	case r.accept("check", "index"):
		index := r.name()
		statement = r.checkIndex(&index)
	case r.accept("check", "indexes"):
		statement = r.checkIndex(nil)
	case r.accept("show", "tables"):
		r.from()
		statement = showTables(r.name().Name)
	case r.accept("show"):
		statement = r.showIndex()
	case r.accept("describe"), r.accept("desc"):
		r.accept("table")
		statement = describe(r.name())
	case r.accept("drop", "index"):
		statement = r.dropIndex()
	case r.accept("admin", "check", "table"):
		statement = &ast.CheckIndex{Table: r.name()}
	case r.accept("admin", "check", "index"):
		statement = &ast.CheckIndex{Table: r.name(), Index: r.indexName()}
	default:
		return nil, false
	}
	r.accept(";")
	if r.bad || r.next < len(r.list) {
		return nil, false
	}
	parsed := trimmed(src.text, src.base)
	parsed.Statement = statement
	return []ast.Parsed{parsed}, true
}

// accept goes past these words, when they come next.
func (r *indexReader) accept(words ...string) bool {
	for i, w := range words {
		if r.word(r.next+i) != w {
			return false
		}
	}
	r.next += len(words)
	return true
}

// expect goes past a word that must come next.
func (r *indexReader) expect(word string) { r.bad = !r.accept(word) || r.bad }

// name reads a name, perhaps with its schema.
func (r *indexReader) name() ast.Name {
	out := ast.Name{Name: r.tokens.name(r.next), Pos: -1}
	if out.Name == "" {
		r.bad = true
		return out
	}
	out.Pos = ast.Pos(r.base + int(r.list[r.next].Start))
	r.next++
	if r.accept(".") {
		out.Schema, out.Name = out.Name, r.tokens.name(r.next)
		r.bad = r.bad || out.Name == ""
		r.next++
	}
	return out
}

// table reads ON t.
func (r *indexReader) table() ast.Name {
	r.expect("on")
	return r.name()
}

func (r *indexReader) alterIndex() ast.Statement {
	out := &ast.AlterIndex{IfExists: r.accept("if", "exists"), Index: r.name(), Table: r.table(), Pos: -1}
	if r.next < len(r.list) {
		out.Pos = ast.Pos(r.base + int(r.list[r.next].Start))
	}
	if r.accept(string(ast.ActivateIndex)) {
		out.Action = ast.ActivateIndex
		return out
	}
	r.expect(string(ast.DisableIndex))
	out.Action = ast.DisableIndex
	return out
}

func (r *indexReader) buildIndex() ast.Statement {
	out := &ast.BuildIndex{IfExists: r.accept("if", "exists"), Index: r.name(), Table: r.table()}
	if out.Timing = r.timing(r.next); out.Timing != ast.DefaultTiming {
		r.next++
	}
	return out
}

func (r *indexReader) indexName() *ast.Name {
	name := r.name()
	return &name
}

// showIndex is SHOW INDEX FROM t, or t FROM s.
func (r *indexReader) showIndex() ast.Statement {
	r.bad = !r.accept("index") && !r.accept("indexes") && !r.accept("keys")
	r.from()
	out := &ast.ShowIndex{Table: r.name()}
	if out.Table.Schema == "" && (r.word(r.next) == "from" || r.word(r.next) == "in") {
		r.from()
		out.Table.Schema = r.name().Name
	}
	return out
}

func (r *indexReader) from() { r.bad = !r.accept("from") && !r.accept("in") || r.bad }

// dropIndex is DROP INDEX i ON t, whose name is that of one of the table's.
func (r *indexReader) dropIndex() ast.Statement {
	out := &ast.DropIndex{IfExists: r.accept("if", "exists"), Indexes: []ast.Name{r.name()}}
	table := r.table()
	out.Table = &table
	return out
}

func (r *indexReader) checkIndex(index *ast.Name) ast.Statement {
	return &ast.CheckIndex{Index: index, Table: r.table(), Repair: r.accept("repair")}
}

// timing is what the i-th token says, if it is ASYNC or SYNC.
func (t tokens) timing(i int) ast.Timing {
	switch w := ast.Timing(t.word(i)); w {
	case ast.Async, ast.Sync:
		return w
	}
	return ast.DefaultTiming
}
