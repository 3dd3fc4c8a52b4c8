package index

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/names"
	"zproxy/cluster/check"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Checker runs the statements that compare indexes with the rows of their tables, and look for what rows refer to.
type Checker struct{ *Definer }

// Check runs CHECK INDEX and ADMIN CHECK. The rows are those of zproxy.check_index.
func (c Checker) Check(ctx context.Context, tree *ast.CheckIndex) (expr.Set, error) {
	if _, err := c.Txn.Store(ctx, false); err != nil { // the table is wanted as the transaction sees it
		return nil, err
	}
	t, err := c.Planner(c.Schema()).Table(tree.Table)
	if err != nil {
		return nil, err
	}
	index := ""
	if tree.Index != nil {
		index = tree.Index.Name
	}
	return c.rows(ctx, t, index, tree.Repair), nil
}

// CheckNumbered checks an index or a foreign key of a table, or all with an empty name, or the index that has the
// number.
func (c Checker) CheckNumbered(ctx context.Context, relation uint32, index string, repair bool) expr.Set {
	if _, err := c.Txn.Store(ctx, false); err != nil { // the table is wanted as the transaction sees it
		return failedSet(err)
	}
	if repair {
		if err := c.Block.RefuseReadOnly("zproxy.check_index() with repair"); err != nil {
			return failedSet(err)
		}
	}
	switch r := c.Schema().Numbered(relation).(type) {
	case nil:
		return failedSet(sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", relation))
	case *catalog.Table:
		return c.rows(ctx, r, NameFrom(r, index), repair)
	case catalog.TableIndex:
		if index != "" {
			return failedSet(sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Ref().Name))
		}
		if r.Index == nil { // the rows themselves
			return c.rows(ctx, r.Table, r.Table.PrimaryKey, repair)
		}
		return c.rows(ctx, r.Table, r.Index.Name, repair)
	default:
		return failedSet(sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Ref().Name))
	}
}

// NameFrom is the name of an index of a table from a text, which may have quotes as in a statement.
func NameFrom(t *catalog.Table, text string) string {
	parts, err := names.Split(text)
	known := t.Index(text) != nil || t.PrimaryKey == text || t.ForeignKeys.Find(text) != nil
	if known || err != nil || len(parts) != 1 {
		return text
	}
	return parts[0]
}

func failedSet(err error) expr.Set {
	return func(yield func(types.Row, error) bool) { yield(nil, err) }
}

// rows are the rows of a check of an index or a foreign key of a table, or of all with an empty name, in all of its
// partitions. The transaction sees what it wrote itself; a repair is a transaction of its own.
func (c Checker) rows(ctx context.Context, t *catalog.Table, index string, repair bool) expr.Set {
	return func(yield func(types.Row, error) bool) {
		txn, err := c.mayCheck(ctx, t, index, repair)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, leaf := range c.Schema().Leaves(t) {
			name, ok := nameIn(c.Schema(), t, leaf, index)
			if ok && !c.ofLeaf(ctx, txn, checked{leaf, name, repair}, yield) {
				return
			}
		}
	}
}

// checked is what a check of one table is about.
type checked struct {
	table  *catalog.Table
	name   string // of an index or a foreign key, or empty
	repair bool
}

// ofLeaf yields the rows of a check of a table that has rows, and says whether more is wanted.
func (c Checker) ofLeaf(ctx context.Context, txn store.Txn, of checked, yield func(types.Row, error) bool) bool {
	all, err := check.Checker{Node: c.Node, Tables: c.Tables, Now: c.Now}.Of(stored.In(c.Schema()), of.table)
	if err != nil {
		yield(nil, err)
		return false
	}
	env, progress := *c.Env, &Progress{command: checkCommand, relation: of.table.ID}
	defer c.Tell(progress)()
	enter := func(x uint32, total float64) *executor.Seen {
		return progress.enter(x, "comparing rows and entries", total)
	}
	exec := c.Exec(ctx, txn)
	all.Repair, all.Enter, all.Read = of.repair, enter, executor.IndexCheck{Txn: txn, Env: &env,
		Routines: exec.Expr.Routines, Total: exec.Total, MaxMemory: c.StatementMemory}
	for f, err := range all.Findings(ctx, of.name) {
		if err != nil {
			yield(nil, err)
			return false
		}
		row := types.Row{types.NewText(f.Name), types.NewText(string(f.Class)), types.NewText(f.Key),
			types.NewText(f.Row), types.NewText(f.Detail), types.NewBool(f.Repaired)}
		if !yield(row, nil) {
			return false
		}
	}
	return true
}

// nameIn is the name that an index or a foreign key of a table has in a partition of it, if the partition has it.
func nameIn(snap *catalog.Snapshot, t, p *catalog.Table, name string) (string, bool) {
	switch x := t.Index(name); {
	case p == t || name == "" || t.ForeignKeys.Find(name) != nil:
		return name, true
	case x == nil:
		return p.PrimaryKey, p.PrimaryKey != ""
	default:
		own := indexIn(snap, t, p, x)
		if own == nil {
			return "", false
		}
		return own.Name, true
	}
}

// indexIn is the index of a partition of a table that belongs to one of the table, nil where it has none.
func indexIn(snap *catalog.Snapshot, t, p *catalog.Table, x *catalog.Index) *catalog.Index {
	if p.ID == t.ID {
		return x
	}
	parent, _ := snap.ByID(p.PartitionOf.Parent).(*catalog.Table)
	above := indexIn(snap, t, parent, x)
	if above == nil {
		return nil
	}
	return above.OfPartition(p)
}

// mayCheck wants the present role to own a table, of which the findings show values, and gives
// the transaction to read it in.
func (c Checker) mayCheck(ctx context.Context, t *catalog.Table, index string, repair bool) (store.Txn, error) {
	if index != "" && t.Index(index) == nil && t.PrimaryKey != index && t.ForeignKeys.Find(index) == nil {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "index \"%s\" does not exist", index)
	}
	if err := c.MustOwn(c.Schema(), t); err != nil {
		return nil, err
	}
	if err := ddl.NotOnForeign(t, "check"); err != nil {
		return nil, err
	}
	if repair {
		if err := c.Block.NotIn("a repair of indexes"); err != nil {
			return nil, err
		}
	}
	return c.Block.Strong(ctx, t)
}
