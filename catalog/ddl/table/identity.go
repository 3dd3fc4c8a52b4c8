package table

import (
	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// identity makes a column an identity column, or an ordinary one.
func (a *alteration) identity(cmd ast.AlterCommand) error {
	i, err := a.Column(cmd.Name)
	if err != nil {
		return err
	}
	c := a.Table.Columns[i]
	if cmd.Kind == ast.AddIdentity {
		t, err := a.AddIdentity(i, cmd)
		if err != nil {
			return err
		}
		q := t.Sequences[0]
		q.Rights = privilege.New(a.d.Txn.Changed().Snap, q, a.Table.OwnerID())
		return a.d.Txn.Put(a.ctx, t.Table, q)
	}
	if cmd.Kind == ast.SetIdentity {
		return a.setIdentity(i, cmd)
	}
	if c.Identity == catalog.NoIdentity {
		if cmd.IfExists {
			return a.d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"column %q of relation %q is not an identity column, skipping", cmd.Name, a.Table.Name))
		}
		return noIdentity(a.Table, cmd.Name)
	}
	sequence := a.d.Txn.Changed().Snap.ByID(c.Sequence).(*catalog.Sequence)
	if _, err := a.d.Txn.LockSequence(a.ctx, sequence); err != nil {
		return err
	}
	if err := a.d.Txn.Remove(a.ctx, sequence); err != nil {
		return err
	}
	return a.keep(a.Table.WithColumn(i, func(c *catalog.Column) { c.Identity, c.Sequence = catalog.NoIdentity, 0 }),
		nil)
}

func noIdentity(t *catalog.Table, column string) error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "column %q of relation %q is not an identity column", column,
		t.Name)
}

// setIdentity changes when an identity column gets its values, and its sequence.
func (a *alteration) setIdentity(i int, cmd ast.AlterCommand) error {
	c := a.Table.Columns[i]
	if c.Identity == catalog.NoIdentity {
		return noIdentity(a.Table, cmd.Name)
	}
	if len(cmd.Options) > 0 {
		old := a.d.Txn.Changed().Snap.ByID(c.Sequence).(*catalog.Sequence)
		at, err := a.d.Txn.LockSequence(a.ctx, old)
		if err != nil {
			return err
		}
		q, restart, err := a.AlterSequence(old, cmd.Options)
		if err != nil {
			return err
		}
		if !restart {
			q.From, q.FromCalled = at.Last, at.Called
			if err := define.SequenceHolds(q, at.Last); err != nil {
				return err
			}
		}
		if err := a.d.Txn.Put(a.ctx, q); err != nil {
			return err
		}
	}
	if cmd.Identity == "" {
		return nil
	}
	return a.keep(a.Table.WithColumn(i, func(c *catalog.Column) { c.Identity = catalog.Identity(cmd.Identity) }), nil)
}

// columnsThere are the columns that ADD COLUMN IF NOT EXISTS finds there, so that nothing is done about them.
func columnsThere(t *catalog.Table, commands []ast.AlterCommand) (out []*ast.ColumnDef) {
	for _, cmd := range commands {
		if cmd.Kind == ast.AddColumn && cmd.IfExists && t.Column(cmd.Name) >= 0 {
			out = append(out, cmd.Column)
		}
	}
	return out
}
