package transaction

import (
	"context"

	"zproxy/parser/ast"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// Exits says whether a statement is heard in a failed block.
func Exits(tree ast.Statement) bool {
	t, ok := tree.(*ast.Transaction)
	return ok && (t.Kind == ast.Commit || t.Kind == ast.Rollback || t.Kind == ast.RollbackTo ||
		t.Verb == ast.PrepareTransaction)
}

// Changes says whether a statement begins, ends or marks a transaction, rather than to set what one is like.
func Changes(tree ast.Statement) bool {
	t, ok := tree.(*ast.Transaction)
	return ok && t.Kind != ast.SetTransaction && t.Kind != ast.SetSnapshot && t.Kind != ast.SetCharacteristics
}

// Hooks are how a statement about transactions notices the client, and ends an implicit transaction, which
// COMMIT does, too.
type Hooks struct {
	Notice func(*sqlerr.Error) error
	Finish func(context.Context) error
}

// statements begin and end blocks, and savepoints in them.
type statements struct {
	*Current
	Hooks
}

// Run runs BEGIN, COMMIT and their kin, and gives the tag.
func (c *Current) Run(ctx context.Context, tree *ast.Transaction, h Hooks) (tag string, err error) {
	s := statements{c, h}
	switch tree.Kind {
	case ast.Begin:
		return "BEGIN", s.begin(tree)
	case ast.Start:
		return "START TRANSACTION", s.begin(tree)
	case ast.Commit:
		return s.endBlock(ctx, tree, "COMMIT")
	case ast.Rollback:
		return s.endBlock(ctx, tree, "ROLLBACK")
	case ast.TwoPhase:
		return s.twoPhase(ctx, tree)
	case ast.SetTransaction:
		if Outside(s.Current) {
			return "SET", s.warnOutside()
		}
		return "SET", s.characterize(tree.Options)
	case ast.SetSnapshot:
		return "SET", s.setSnapshot(ctx, tree.Name)
	case ast.SetCharacteristics:
		for _, o := range tree.Options {
			if err := c.of.Settings.Ask("default_"+o.Name, optionValue(o), false); err != nil {
				return "", err
			}
		}
		return "SET", nil
	default:
		return s.savepointStatement(tree)
	}
}

// warnOutside warns of a statement that means nothing outside of a block.
func (s statements) warnOutside() error {
	return s.Notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction,
		"SET TRANSACTION can only be used in transaction blocks"))
}

// begin starts a block, or warns inside of one. What the implicit transaction has done so
// far is then part of the block.
func (s statements) begin(tree *ast.Transaction) error {
	if s.block {
		if err := s.Notice(sqlerr.Warn(sqlerr.ActiveSQLTransaction,
			"there is already a transaction in progress")); err != nil {
			return err
		}
	}
	within := s.block
	s.block = true
	err := s.characterize(tree.Options)
	if err != nil {
		s.block = within // a block that was refused has not begun
	}
	return err
}

// endBlock runs COMMIT and ROLLBACK, which also end an implicit transaction.
func (s statements) endBlock(ctx context.Context, tree *ast.Transaction, verb string) (string, error) {
	if !s.block {
		if tree.Chain {
			return "", sqlerr.New(sqlerr.NoActiveSQLTransaction,
				"%s AND CHAIN can only be used in transaction blocks", verb)
		}
		if err := s.Notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction,
			"there is no transaction in progress")); err != nil {
			return "", err
		}
	}
	if s.failed {
		verb = "ROLLBACK"
	}
	next := s.characteristics()
	if verb == "ROLLBACK" {
		s.Rollback()
	} else if err := s.finishBlock(ctx); err != nil {
		return "", err
	}
	if !tree.Chain {
		return verb, nil
	}
	s.block = true
	return verb, s.characterize(next)
}

// Follow runs COMMIT or ROLLBACK of a procedure: the transaction ends, and the next one begins.
func Follow(ctx context.Context, c *Current, tree *ast.Transaction) error {
	s := statements{Current: c}
	if Nested(c) {
		verb := map[ast.TransactionKind]string{ast.Commit: "commit", ast.Rollback: "roll back"}[tree.Kind]
		return sqlerr.New("2D000", "cannot %s while a subtransaction is active", verb)
	}
	if err := c.of.Portals.Outlive(ctx); err != nil {
		return err
	}
	next := s.characteristics()
	if tree.Kind == ast.Rollback {
		c.Rollback()
	} else if err := c.Commit(ctx); err != nil {
		return err
	}
	if !tree.Chain {
		return nil
	}
	return s.characterize(next)
}

// twoPhase answers the statements of a commit in two phases as PostgreSQL does where no transaction may be prepared:
// the block of one that is to be is rolled back.
func (s statements) twoPhase(ctx context.Context, tree *ast.Transaction) (string, error) {
	switch {
	case tree.Verb != ast.PrepareTransaction:
		if err := s.NotIn(tree.Verb); err != nil {
			return "", err
		}
		return "", sqlerr.New(sqlerr.UndefinedObject,
			"prepared transaction with identifier \"%s\" does not exist", tree.GID)
	case s.block && !s.failed:
		s.Rollback()
		return "", sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "prepared transactions are disabled")
	}
	return s.endBlock(ctx, &ast.Transaction{Kind: ast.Rollback}, "ROLLBACK")
}

func (s statements) finishBlock(ctx context.Context) error {
	if s.block {
		return s.Commit(ctx)
	}
	return s.Finish(ctx)
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
func (s statements) characterize(options []ast.Option) error {
	for _, o := range options {
		if err := s.SetCharacteristic(o.Name, optionValue(o)); err != nil {
			return err
		}
	}
	return nil
}

// SetCharacteristic changes a characteristic of the transaction, which after the first query only READ ONLY may do.
func (c *Current) SetCharacteristic(name, value string) error {
	before, _ := c.of.Settings.Get(name)
	mark := c.of.Settings.Mark()
	if err := c.of.Settings.Ask(name, value, true); err != nil {
		return err
	}
	after, _ := c.of.Settings.Get(name)
	refusal := ""
	switch {
	case before == after && name != settings.DeferrableName:
		return nil
	case name == settings.ReadOnlyName && after == "on":
		return nil
	case name == settings.IsolationName && c.hasFixedModes():
		refusal = characteristicName(name) + " must be called before any query"
	case name == settings.ReadOnlyName && len(c.savepoints) > 0:
		refusal = "cannot set transaction read-write mode inside a read-only transaction"
	case name != settings.ReadOnlyName && len(c.savepoints) > 0:
		refusal = characteristicName(name) + " must not be called in a subtransaction"
	case !c.hasFixedModes():
		return nil
	case name == settings.ReadOnlyName:
		refusal = "transaction read-write mode must be set before any query"
	default:
		refusal = characteristicName(name) + " must be called before any query"
	}
	c.of.Settings.RollbackTo(mark)
	return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s", refusal)
}

func characteristicName(name string) string {
	if name == settings.IsolationName {
		return "SET TRANSACTION ISOLATION LEVEL"
	}
	return "SET TRANSACTION [NOT] DEFERRABLE"
}

// characteristics are those of the transaction, for the one that AND CHAIN begins.
func (s statements) characteristics() []ast.Option {
	var out []ast.Option
	for _, name := range []string{settings.IsolationName, settings.ReadOnlyName, settings.DeferrableName} {
		value, _ := s.of.Settings.Get(name)
		out = append(out, ast.Option{Name: name, Value: value})
	}
	return out
}
