package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// tableClauses converts clauses of tables, columns and keys.
type tableClauses struct{ *converter }

// ofKey is what follows the columns of a key.
func (c tableClauses) ofKey(k *pg.Constraint) ast.KeyClauses {
	out := ast.KeyClauses{KeyOptions: c.storageParameters(k.Options), KeyIndex: k.Indexname, Timing: timing(k)}
	for _, name := range names(k.Including) {
		out.KeyInclude = append(out.KeyInclude, ast.ColumnName{Name: name, Pos: c.at(k.Location)})
	}
	return out
}

// like is LIKE among the columns of a table.
func (c tableClauses) like(table *ast.CreateTable, n *pg.TableLikeClause) {
	if c.foreign {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "LIKE is not supported for creating foreign tables"))
	}
	c.refuse(n.Relation.GetAlias() != nil, n.Relation, "an alias of this table")
	table.Likes = append(table.Likes, ast.LikeTable{Table: c.relation(n.Relation), After: len(table.Columns),
		Including: ast.LikeOptions(n.Options)})
}

// setIdentity is ALTER COLUMN SET GENERATED, and SET of what the sequence of the column is to be.
func (c tableClauses) setIdentity(out *ast.AlterCommand, list []*pg.Node) {
	out.Kind = ast.SetIdentity
	var ofSequence []*pg.Node
	for _, n := range list {
		d := n.GetDefElem()
		c.refuse(d.GetDefnamespace() != "", n, "an option with a prefix")
		switch {
		case d.GetDefname() != "generated":
			ofSequence = append(ofSequence, n)
		case out.Identity != "":
			c.fail(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(c.at(d.Location))))
		default:
			out.Identity = identityOf(string(rune(d.GetArg().GetInteger().GetIval())))
		}
	}
	out.Options = c.sequence(ofSequence)
}
