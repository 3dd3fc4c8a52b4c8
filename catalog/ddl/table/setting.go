package table

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// settings runs the commands that change what is kept of a table besides its rows, most of which say how PostgreSQL is
// to keep them. It says false of other commands.
func (a *alteration) settings(cmd ast.AlterCommand) (bool, error) {
	if aboutRowSecurity(cmd.Kind) {
		return true, a.rowSecurity(cmd.Kind)
	}
	switch cmd.Kind {
	case ast.SetColumn:
		return true, a.setColumn(cmd)
	case ast.NameIndex:
		for _, x := range a.Table.TableIndexes() {
			if x.Ref().Name == cmd.Name {
				return true, nil
			}
		}
		return true, sqlerr.New(sqlerr.UndefinedObject, "index %q for table %q does not exist", cmd.Name, a.Table.Name)
	case ast.ClusterOn:
		return true, clusterOn(a, cmd.Name)
	case ast.Nothing:
		return true, nil
	case ast.DropExpression:
		t, notice, err := a.DropExpression(cmd)
		if err == nil && notice != nil {
			return true, a.d.Notice(notice)
		}
		return true, a.keep(t, err)
	}
	return false, nil
}

// aboutRowSecurity says whether a command is about the policies of a table, which its partitions do not have.
func aboutRowSecurity(kind ast.AlterKind) bool {
	switch kind {
	case ast.EnableRowSecurity, ast.DisableRowSecurity, ast.ForceRowSecurity, ast.NoForceRowSecurity:
		return true
	}
	return false
}

// rowSecurity says whether the policies of the table are enforced, and whether on its owner, too.
func (a *alteration) rowSecurity(kind ast.AlterKind) error {
	t := *a.Table
	t.Version++
	switch kind {
	case ast.EnableRowSecurity, ast.DisableRowSecurity:
		t.RowSecurity = kind == ast.EnableRowSecurity
	default:
		t.ForOwner = kind == ast.ForceRowSecurity
	}
	return a.keep(&t, nil)
}

func (a *alteration) setColumn(cmd ast.AlterCommand) error {
	if cmd.Name == "" {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot refer to non-index column by number")
	}
	t, notice, err := a.SetColumn(cmd)
	if err == nil && notice != nil {
		err = a.d.Notice(notice)
	}
	return a.keep(t, err)
}

// setsOnly says whether a command changes nothing that transactions with the table go by.
func setsOnly(cmd ast.AlterCommand) bool {
	switch cmd.Kind {
	case ast.SetOptions, ast.ResetOptions, ast.ChangePartition, ast.SetColumn, ast.NameIndex, ast.ClusterOn,
		ast.Nothing:
		return true
	}
	return false
}

// passed gives a relation to another owner, as OWNER TO among other commands asks.
func passed(tree *ast.AlterTable, r catalog.Ref) *ast.SetOwner {
	return &ast.SetOwner{Kind: ast.TableObject, Name: ast.Name{Schema: r.Schema, Name: r.Name, Pos: tree.Table.Pos},
		Owner: *tree.Owner}
}
