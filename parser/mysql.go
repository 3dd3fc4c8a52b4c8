package parser

import (
	"strings"

	tidb "github.com/pingcap/tidb/pkg/parser"
	tidbast "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // TiDB's grammar needs one for its literals

	"zproxy/parser/ast"
)

// readMySQL reads an admin statement of MySQL's dialect: SHOW INDEX FROM t and DROP INDEX i
// ON t. It says no to everything else, where the two dialects read the same text in two
// ways. The grammar gives no positions.
func readMySQL(src source) ([]ast.Parsed, bool) {
	p := tidb.New()
	p.SetSQLMode(mysql.ModeANSIQuotes)
	nodes, _, err := p.ParseSQL(src.text)
	if err != nil || len(nodes) != 1 {
		return nil, false
	}
	var statement ast.Statement
	switch n := nodes[0].(type) {
	case *tidbast.ShowStmt:
		if n.Tp != tidbast.ShowIndex || n.Where != nil || n.Pattern != nil {
			return nil, false
		}
		statement = &ast.ShowIndex{Table: mysqlName(n.Table)}
	case *tidbast.DropIndexStmt:
		if n.LockAlg != nil || n.IsHypo {
			return nil, false
		}
		table := mysqlName(n.Table)
		index := ast.Name{Name: strings.ToLower(n.IndexName), Pos: -1}
		statement = &ast.DropIndex{Indexes: []ast.Name{index}, Table: &table, IfExists: n.IfExists}
	default:
		return nil, false
	}
	parsed := trimmed(src.text, src.base)
	parsed.Statement = statement
	return []ast.Parsed{parsed}, true
}

// mysqlName is a name in lower case, since MySQL's dialect does not tell cases apart.
func mysqlName(n *tidbast.TableName) ast.Name {
	return ast.Name{Schema: n.Schema.L, Name: n.Name.L, Pos: -1}
}
