package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	tidb "github.com/pingcap/tidb/pkg/parser"
	tidbast "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // TiDB's grammar needs one for its literals

	"zproxy/parser/ast"
)

// readMySQL reads an admin statement of MySQL's dialect: SHOW INDEX FROM t, DROP INDEX i ON t,
// ADMIN CHECK TABLE t and ADMIN CHECK INDEX t i. It says no to everything else, where the two dialects read the same text in two
// ways. The grammar gives no positions.
func readMySQL(src source) ([]ast.Parsed, bool) {
	toks, _ := tokenize(src.text)
	switch toks.kind(0) {
	case pg.Token_SHOW, pg.Token_DROP, pg.Token_ADMIN:
	default:
		return nil, false
	}
	var nodes []tidbast.StmtNode
	ok := survives(func() (err error) {
		p := tidb.New()
		p.SetSQLMode(mysql.ModeANSIQuotes)
		nodes, _, err = p.ParseSQL(src.text)
		return err
	})
	if !ok || len(nodes) != 1 {
		return nil, false
	}
	statement := mysqlStatement(nodes[0])
	if statement == nil {
		return nil, false
	}
	parsed := trimmed(src.text, src.base)
	parsed.Statement = statement
	return []ast.Parsed{parsed}, true
}

// survives runs TiDB's parser and says whether it could read. Its lexer panics on a number
// of more than 81 digits.
func survives(read func() error) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return read() == nil
}

// mysqlStatement converts what nothing is lost of, and nothing else.
func mysqlStatement(node tidbast.StmtNode) ast.Statement {
	switch n := node.(type) {
	case *tidbast.ShowStmt:
		if n.Tp == tidbast.ShowIndex && n.Where == nil && n.Pattern == nil {
			return &ast.ShowIndex{Table: mysqlName(n.Table)}
		}
	case *tidbast.DropIndexStmt:
		if n.LockAlg == nil && !n.IsHypo {
			table := mysqlName(n.Table)
			index := ast.Name{Name: strings.ToLower(n.IndexName), Pos: -1}
			return &ast.DropIndex{Indexes: []ast.Name{index}, Table: &table, IfExists: n.IfExists}
		}
	case *tidbast.AdminStmt:
		return mysqlCheck(n)
	}
	return nil
}

// mysqlCheck is ADMIN CHECK of one table or index, with all its keys.
func mysqlCheck(n *tidbast.AdminStmt) ast.Statement {
	if len(n.Tables) != 1 || n.HandleRanges != nil {
		return nil
	}
	switch table := mysqlName(n.Tables[0]); n.Tp {
	case tidbast.AdminCheckTable:
		return &ast.CheckIndex{Table: table}
	case tidbast.AdminCheckIndex:
		return &ast.CheckIndex{Table: table, Index: &ast.Name{Name: strings.ToLower(n.Index), Pos: -1}}
	}
	return nil
}

// mysqlName is a name in lower case, since MySQL's dialect does not tell cases apart.
func mysqlName(n *tidbast.TableName) ast.Name {
	return ast.Name{Schema: n.Schema.L, Name: n.Name.L, Pos: -1}
}
