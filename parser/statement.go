package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// statement converts a statement of any kind.
func (c *converter) statement(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_SelectStmt:
		return c.selectInto(n.SelectStmt)
	case *pg.Node_CopyStmt:
		return c.copy(n.CopyStmt)
	case *pg.Node_TruncateStmt:
		return c.truncate(n.TruncateStmt)
	case *pg.Node_ClusterStmt:
		return cluster(c, n.ClusterStmt)
	case *pg.Node_VacuumStmt:
		return c.vacuum(n.VacuumStmt)
	case *pg.Node_ExplainStmt:
		return &ast.Explain{Statement: c.statement(n.ExplainStmt.Query), Options: c.options(n.ExplainStmt.Options)}
	case *pg.Node_VariableSetStmt:
		return c.set(n.VariableSetStmt)
	case *pg.Node_ConstraintsSetStmt:
		return foreignKeys{c}.setConstraints(n.ConstraintsSetStmt)
	case *pg.Node_VariableShowStmt:
		if n.VariableShowStmt.Name == "tables" {
			return showTables("")
		}
		return &ast.Show{Name: n.VariableShowStmt.Name}
	case *pg.Node_TransactionStmt:
		return c.transaction(n.TransactionStmt)
	case *pg.Node_LockStmt:
		return c.lockTable(n.LockStmt)
	case *pg.Node_UnlistenStmt:
		return &ast.Unlisten{Channel: n.UnlistenStmt.Conditionname}
	case *pg.Node_ListenStmt:
		return &ast.Listen{Channel: n.ListenStmt.Conditionname}
	case *pg.Node_NotifyStmt:
		return &ast.Notify{Channel: n.NotifyStmt.Conditionname, Payload: n.NotifyStmt.Payload}
	case *pg.Node_CheckPointStmt:
		return &ast.Checkpoint{}
	case *pg.Node_SecLabelStmt:
		c.fail(noLabels(n.SecLabelStmt))
		return nil
	case *pg.Node_LoadStmt:
		return &ast.Load{Library: n.LoadStmt.Filename}
	case *pg.Node_DiscardStmt:
		return c.discard(n.DiscardStmt)
	}
	return c.named(node)
}

// named converts what prepares a statement or opens a cursor under a name, or uses one.
func (c *converter) named(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_PrepareStmt:
		return c.prepare(n.PrepareStmt)
	case *pg.Node_ExecuteStmt:
		return c.execute(n.ExecuteStmt)
	case *pg.Node_DeallocateStmt:
		return deallocate(n.DeallocateStmt)
	case *pg.Node_DeclareCursorStmt:
		return c.declareCursor(n.DeclareCursorStmt)
	case *pg.Node_FetchStmt:
		return c.fetch(n.FetchStmt)
	case *pg.Node_ClosePortalStmt:
		return &ast.CloseCursor{Name: n.ClosePortalStmt.Portalname}
	}
	return c.definition(node)
}

// definition converts DDL.
func (c *converter) definition(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_CreateStmt:
		return c.createTable(n.CreateStmt)
	case *pg.Node_CreateForeignTableStmt:
		return c.createForeignTable(n.CreateForeignTableStmt)
	case *pg.Node_ImportForeignSchemaStmt:
		return c.importForeignSchema(n.ImportForeignSchemaStmt)
	case *pg.Node_RefreshMatViewStmt:
		return refresh(c, n.RefreshMatViewStmt)
	case *pg.Node_CreateTableAsStmt:
		return c.createTableAs(n.CreateTableAsStmt)
	case *pg.Node_ViewStmt:
		return c.createView(n.ViewStmt)
	case *pg.Node_IndexStmt:
		return c.createIndex(n.IndexStmt)
	case *pg.Node_ReindexStmt:
		return c.reindex(n.ReindexStmt)
	case *pg.Node_CreateSchemaStmt:
		return c.createSchema(n.CreateSchemaStmt)
	case *pg.Node_CreateSeqStmt:
		return c.createSequence(n.CreateSeqStmt)
	case *pg.Node_AlterSeqStmt:
		return c.alterSequence(n.AlterSeqStmt)
	case *pg.Node_AlterTableStmt:
		return c.alterTable(n.AlterTableStmt)
	case *pg.Node_RenameStmt:
		return c.rename(n.RenameStmt)
	case *pg.Node_AlterObjectSchemaStmt:
		return c.setSchema(n.AlterObjectSchemaStmt)
	case *pg.Node_CommentStmt:
		return c.comment(n.CommentStmt)
	case *pg.Node_DropStmt:
		return c.drop(n.DropStmt)
	case *pg.Node_CreateStatsStmt:
		return statistics{c}.create(n.CreateStatsStmt)
	case *pg.Node_AlterStatsStmt:
		return statistics{c}.alter(n.AlterStatsStmt)
	case *pg.Node_CreateExtensionStmt:
		return extensions{c}.create(n.CreateExtensionStmt)
	case *pg.Node_AlterExtensionStmt:
		return extensions{c}.update(n.AlterExtensionStmt)
	case *pg.Node_AlterObjectDependsStmt:
		return extensions{c}.depends(n.AlterObjectDependsStmt)
	case *pg.Node_CreateRangeStmt:
		return userTypes{c}.createRange(n.CreateRangeStmt)
	case *pg.Node_CreateEnumStmt:
		return userTypes{c}.createEnum(n.CreateEnumStmt)
	case *pg.Node_AlterEnumStmt:
		return userTypes{c}.alterEnum(n.AlterEnumStmt)
	case *pg.Node_CompositeTypeStmt:
		return userTypes{c}.createComposite(n.CompositeTypeStmt)
	case *pg.Node_CreateDomainStmt:
		return userTypes{c}.createDomain(n.CreateDomainStmt)
	case *pg.Node_AlterDomainStmt:
		return userTypes{c}.alterDomain(n.AlterDomainStmt)
	case *pg.Node_DefineStmt:
		if out := (operators{c}).defined(n.DefineStmt); out != nil {
			return out
		}
	}
	if out := (systemObjects{c}).convert(node); out != nil {
		return out
	}
	return operators{c}.convert(node)
}

// dml converts a statement that may stand in WITH, too.
func (c *converter) dml(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_SelectStmt:
		return c.selectStmt(n.SelectStmt)
	case *pg.Node_InsertStmt:
		return c.insert(n.InsertStmt)
	case *pg.Node_UpdateStmt:
		return c.update(n.UpdateStmt)
	case *pg.Node_DeleteStmt:
		return c.delete(n.DeleteStmt)
	case *pg.Node_MergeStmt:
		return merge(c, n.MergeStmt)
	}
	c.unknown(node)
	return nil
}
