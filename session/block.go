package session

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// exits says whether a statement is heard in a failed block.
func (st *Statement) exits() bool {
	t, ok := st.tree.(*ast.Transaction)
	return ok && (t.Kind == ast.Commit || t.Kind == ast.Rollback || t.Kind == ast.RollbackTo)
}

// blocks begins and ends the transaction blocks of a session, and its savepoints.
type blocks struct{ *Session }

// transact runs BEGIN, COMMIT and their kin.
func (s blocks) transact(ctx context.Context, tree *ast.Transaction, c Client) (Outcome, error) {
	switch tree.Kind {
	case ast.Begin:
		return tag("BEGIN", s.begin(tree, c))
	case ast.Start:
		return tag("START TRANSACTION", s.begin(tree, c))
	case ast.Commit:
		return s.endBlock(ctx, tree, "COMMIT", c)
	case ast.Rollback:
		return s.endBlock(ctx, tree, "ROLLBACK", c)
	case ast.SetTransaction:
		if !s.txn.block && !s.several {
			return tag("SET", c.Notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction,
				"SET TRANSACTION can only be used in transaction blocks")))
		}
		return tag("SET", s.characterize(tree.Options))
	case ast.SetCharacteristics:
		for _, o := range tree.Options {
			if err := s.settings.Ask("default_"+o.Name, optionValue(o), false); err != nil {
				return Outcome{}, err
			}
		}
		return tag("SET", nil)
	default:
		return s.savepointStatement(tree)
	}
}

// begin starts a block, or warns inside of one. What the implicit transaction has done so
// far is then part of the block.
func (s blocks) begin(tree *ast.Transaction, c Client) error {
	if s.txn.block {
		if err := c.Notice(sqlerr.Warn(sqlerr.ActiveSQLTransaction,
			"there is already a transaction in progress")); err != nil {
			return err
		}
	}
	s.txn.block, s.txn.redo = true, nil
	return s.characterize(tree.Options)
}

// endBlock runs COMMIT and ROLLBACK, which also end an implicit transaction.
func (s blocks) endBlock(ctx context.Context, tree *ast.Transaction, verb string, c Client) (Outcome, error) {
	if !s.txn.block {
		if tree.Chain {
			return Outcome{}, sqlerr.New(sqlerr.NoActiveSQLTransaction,
				"%s AND CHAIN can only be used in transaction blocks", verb)
		}
		if err := c.Notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction,
			"there is no transaction in progress")); err != nil {
			return Outcome{}, err
		}
	}
	if s.txn.failed {
		verb = "ROLLBACK"
	}
	next := s.characteristics()
	if verb == "ROLLBACK" {
		s.rollback()
	} else if err := s.finishBlock(ctx); err != nil {
		return Outcome{}, err
	}
	if !tree.Chain {
		return tag(verb, nil)
	}
	s.txn.block = true
	return tag(verb, s.characterize(next))
}

func (s blocks) finishBlock(ctx context.Context) error {
	if s.txn.block {
		return s.commit(ctx)
	}
	return s.finish(ctx)
}

// notInBlock is the error of a statement that cannot be undone.
func (s *Session) notInBlock(what string) error {
	if !s.txn.block && !s.several {
		return nil
	}
	return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", what)
}

// optionValue is the value of an option of BEGIN as a setting.
func optionValue(o ast.Option) string {
	switch o.Value {
	case "1":
		return "on"
	case "0":
		return "off"
	}
	return o.Value
}

// characterize gives the transaction its characteristics.
func (s blocks) characterize(options []ast.Option) error {
	for _, o := range options {
		if err := s.setCharacteristic(o.Name, optionValue(o)); err != nil {
			return err
		}
	}
	return nil
}

// setCharacteristic changes one, which after the first query only READ ONLY may do.
func (s blocks) setCharacteristic(name, value string) error {
	before, _ := s.settings.Get(name)
	mark := s.settings.Mark()
	if err := s.settings.Ask(name, value, true); err != nil {
		return err
	}
	after, _ := s.settings.Get(name)
	refusal := ""
	switch {
	case before == after && name != settings.DeferrableName:
		return nil
	case name == settings.ReadOnlyName && after == "on":
		return nil
	case name == settings.IsolationName && s.txn.hasFixedModes():
		refusal = characteristicName(name) + " must be called before any query"
	case name == settings.ReadOnlyName && len(s.txn.savepoints) > 0:
		refusal = "cannot set transaction read-write mode inside a read-only transaction"
	case name != settings.ReadOnlyName && len(s.txn.savepoints) > 0:
		refusal = characteristicName(name) + " must not be called in a subtransaction"
	case !s.txn.hasFixedModes():
		return nil
	case name == settings.ReadOnlyName:
		refusal = "transaction read-write mode must be set before any query"
	default:
		refusal = characteristicName(name) + " must be called before any query"
	}
	s.settings.RollbackTo(mark)
	return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s", refusal)
}

func characteristicName(name string) string {
	if name == settings.IsolationName {
		return "SET TRANSACTION ISOLATION LEVEL"
	}
	return "SET TRANSACTION [NOT] DEFERRABLE"
}

// characteristics are those of the transaction, for the one that AND CHAIN begins.
func (s blocks) characteristics() []ast.Option {
	var out []ast.Option
	for _, name := range []string{settings.IsolationName, settings.ReadOnlyName, settings.DeferrableName} {
		value, _ := s.settings.Get(name)
		out = append(out, ast.Option{Name: name, Value: value})
	}
	return out
}

func (s *Session) readOnly() bool {
	value, _ := s.settings.Get(settings.ReadOnlyName)
	return value == "on"
}

// mayWrite says whether a statement of the transaction may write, be it to a temporary table.
func (s *Session) mayWrite() bool { return !s.readOnly() || s.temporary != "" }

// refuseReadOnly is the answer to a statement that writes in a transaction that must not.
func (s *Session) refuseReadOnly(what string) error {
	if !s.readOnly() {
		return nil
	}
	return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", what)
}

// refuseWrites is refuseReadOnly for a statement that writes or locks rows, which those of temporary
// tables do not count as.
func (s *Session) refuseWrites(tables []*catalog.Table, what string) error {
	if slices.ContainsFunc(tables, func(t *catalog.Table) bool {
		return s.temporary == "" || t.Schema != s.temporary
	}) {
		return s.refuseReadOnly(what)
	}
	return nil
}
