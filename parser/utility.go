package parser

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// options are name = value pairs in whichever clause.
func (c *converter) options(list []*pg.Node) []ast.Option {
	var out []ast.Option
	for _, n := range list {
		d := n.GetDefElem()
		c.refuse(d.GetDefnamespace() != "", n, "an option with a prefix")
		out = append(out, ast.Option{
			Name:  strings.ToLower(d.GetDefname()),
			Value: c.optionValue(d.GetArg()),
			List:  names(d.GetArg().GetList().GetItems()),
			Pos:   c.at(d.GetLocation()),
		})
	}
	return out
}

// optionValue is a value as text, whatever the grammar took it for.
func (c *converter) optionValue(node *pg.Node) string {
	switch n := node.GetNode().(type) {
	case nil:
		return ""
	case *pg.Node_String_:
		return n.String_.Sval
	case *pg.Node_Integer:
		return strconv.Itoa(int(n.Integer.Ival))
	case *pg.Node_Float:
		return n.Float.Fval
	case *pg.Node_Boolean:
		return strconv.FormatBool(n.Boolean.Boolval)
	case *pg.Node_AStar:
		return "*"
	case *pg.Node_AConst:
		return c.constant(n.AConst)
	case *pg.Node_TypeName:
		return c.word(n.TypeName)
	case *pg.Node_List:
		return strings.Join(c.optionValues(n.List.Items), ", ")
	case *pg.Node_TypeCast:
		return c.intervalValue(n.TypeCast)
	}
	c.refuse(true, node, "a value of this kind")
	return ""
}

// intervalValue is the INTERVAL of SET TIME ZONE in the syntax of SQL.
func (c *converter) intervalValue(n *pg.TypeCast) string {
	t := c.typeName(n.TypeName)
	c.refuse(t.Name != "interval" || t.Array || len(t.Args) > 0, n, "a value of this type")
	value := "INTERVAL '" + strings.ReplaceAll(c.optionValue(n.Arg), "'", "''") + "'"
	return strings.Join(append([]string{value}, t.Words...), " ")
}

// constant is a literal as text.
func (c *converter) constant(n *pg.A_Const) string {
	l, ok := c.literal(n).(*ast.Literal)
	if !ok {
		return ""
	}
	return l.Text
}

// word is a bare word, which the grammar reads as a type.
func (c *converter) word(n *pg.TypeName) string {
	t := c.typeName(n)
	c.refuse(t.Array || len(t.Args) > 0 || len(t.Words) > 0, n, "a type as a value")
	return t.Name
}

func (c *converter) optionValues(list []*pg.Node) []string {
	values := make([]string, len(list))
	for i, n := range list {
		values[i] = c.optionValue(n)
	}
	return values
}

func (c *converter) set(n *pg.VariableSetStmt) ast.Statement {
	out := &ast.Set{Name: n.Name, Local: n.IsLocal}
	switch n.Kind {
	case pg.VariableSetKind_VAR_SET_VALUE:
		out.Values = c.optionValues(n.Args)
	case pg.VariableSetKind_VAR_SET_DEFAULT:
		out.Default = true
	case pg.VariableSetKind_VAR_RESET:
		out.Default, out.Reset = true, true
	case pg.VariableSetKind_VAR_RESET_ALL:
		out.Name, out.Default, out.Reset = "all", true, true
	case pg.VariableSetKind_VAR_SET_MULTI:
		return c.setTransaction(n)
	case pg.VariableSetKind_VAR_SET_CURRENT:
		out.Current = true
	}
	return out
}

// setTransaction is SET TRANSACTION or SET SESSION CHARACTERISTICS AS TRANSACTION.
func (c *converter) setTransaction(n *pg.VariableSetStmt) ast.Statement {
	if n.Name == "TRANSACTION SNAPSHOT" {
		if n.IsLocal {
			c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "SET LOCAL TRANSACTION SNAPSHOT is not implemented"))
		}
		return &ast.Transaction{Kind: ast.SetSnapshot, Name: strings.Join(c.optionValues(n.Args), ", ")}
	}
	c.refuse(n.IsLocal, n, "LOCAL with TRANSACTION")
	options := c.options(n.Args)
	switch n.Name {
	case "TRANSACTION":
		return &ast.Transaction{Kind: ast.SetTransaction, Options: options}
	case "SESSION CHARACTERISTICS":
		return &ast.Transaction{Kind: ast.SetCharacteristics, Options: options}
	}
	c.refuse(true, n, "SET "+n.Name)
	return nil
}

func (c *converter) transaction(n *pg.TransactionStmt) ast.Statement {
	out := &ast.Transaction{Name: n.SavepointName, GID: n.Gid, Options: c.options(n.Options), Chain: n.Chain}
	switch n.Kind {
	case pg.TransactionStmtKind_TRANS_STMT_BEGIN:
		out.Kind = ast.Begin
	case pg.TransactionStmtKind_TRANS_STMT_START:
		out.Kind = ast.Start
	case pg.TransactionStmtKind_TRANS_STMT_COMMIT:
		out.Kind = ast.Commit
	case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		out.Kind = ast.Rollback
	case pg.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		out.Kind = ast.Savepoint
	case pg.TransactionStmtKind_TRANS_STMT_RELEASE:
		out.Kind = ast.Release
	case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		out.Kind = ast.RollbackTo
	default:
		out.Kind, out.Verb = ast.TwoPhase, twoPhase[n.Kind]
	}
	return out
}

var twoPhase = map[pg.TransactionStmtKind]string{
	pg.TransactionStmtKind_TRANS_STMT_PREPARE:           ast.PrepareTransaction,
	pg.TransactionStmtKind_TRANS_STMT_COMMIT_PREPARED:   "COMMIT PREPARED",
	pg.TransactionStmtKind_TRANS_STMT_ROLLBACK_PREPARED: "ROLLBACK PREPARED",
}

func (c *converter) copy(n *pg.CopyStmt) ast.Statement {
	if n.IsProgram || n.Filename != "" {
		c.fail(sqlerr.Unsupported("COPY with a file or a program of the server").
			WithHint("Use COPY FROM STDIN or COPY TO STDOUT, which psql's \\copy does for a file of the client."))
	}
	out := &ast.Copy{To: !n.IsFrom, Options: c.options(n.Options), Where: c.maybe(n.WhereClause)}
	for _, o := range out.Options {
		c.says(o.Name == "freeze" && c.flag(o), "COPY option FREEZE")
	}
	if n.Query != nil {
		if leftmost(n.Query.GetSelectStmt()).GetIntoClause() != nil {
			c.fail(sqlerr.Unsupported("COPY (SELECT INTO)"))
		}
		out.Query = c.dml(n.Query)
	}
	if n.Relation != nil {
		out.Table = c.tableOnly(n.Relation)
	}
	for _, name := range names(n.Attlist) {
		out.Columns = append(out.Columns, ast.ColumnName{Name: name, Pos: -1})
	}
	return out
}
