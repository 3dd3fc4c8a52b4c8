package host

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/ddl/index"
	"zproxy/expr"
	"zproxy/sqlerr"
)

// Upkeep is what functions do to tables and indexes. It implements system.Upkeep.
type Upkeep struct{ *Call }

// CheckIndexes implements system.Upkeep.
func (u Upkeep) CheckIndexes(relation uint32, name string, repair bool) expr.Set {
	return index.Checker{Definer: u.Indexes()}.CheckNumbered(u.Ctx, relation, name, repair)
}

// AwaitBuild implements system.Upkeep.
func (u Upkeep) AwaitBuild(relation uint32, name string) (string, error) {
	named, x, err := u.indexOf(relation, name)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(u.Txn.Wrote, func(t *catalog.Table) bool { return t.ID == x.Table.ID }) {
		return "", sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"cannot wait for index %q in a transaction that has written to its table", x.Index.Name).
			WithDetail("The build of the index waits for such transactions.")
	}
	if err := u.Block.StepAside(); err != nil {
		return "", err
	}
	if err := u.Indexes().Await(u.Ctx, x.Index.ID, u.Builds.Ended(u.Ctx, x.Index.ID)); err != nil {
		return "", err
	}
	if now, ok := u.Node.Snapshot().Numbered(named).(catalog.TableIndex); ok {
		return now.State().String(), nil
	}
	return "absent", nil
}

// CancelBuild implements system.Upkeep. An index that was to take the place of another one goes away.
func (u Upkeep) CancelBuild(relation uint32, name string) (bool, error) {
	return u.changeBuild("zproxy.cancel_build()", relation, name, func(b *catalog.Build) {
		if b.Goal != catalog.Readable {
			return
		}
		b.Goal, b.Drop = catalog.Disabled, b.Replaces != 0
		b.Failed, b.Code = "canceled on user's request", string(sqlerr.QueryCanceled)
	})
}

// SetBuildRate implements system.Upkeep.
func (u Upkeep) SetBuildRate(relation uint32, name string, rows int64) (bool, error) {
	if rows < 0 {
		return false, sqlerr.New(sqlerr.InvalidParameterValue, "rows per second must not be negative").
			WithHint("0 is no limit.")
	}
	return u.changeBuild("zproxy.set_build_rate()", relation, name, func(b *catalog.Build) { b.Most.Rows = rows })
}

// changeBuild changes a build that goes on. It says whether there is one.
func (u Upkeep) changeBuild(function string, relation uint32, name string, change func(*catalog.Build)) (bool, error) {
	if err := u.Block.RefuseReadOnly(function); err != nil {
		return false, err
	}
	_, x, err := u.indexOf(relation, name)
	if err == nil {
		err = u.Statement().MustOwn(u.schema(), x.Table)
	}
	if err != nil {
		return false, err
	}
	return u.Builds.Change(u.Ctx, x.Index.ID, change)
}

// indexOf is the number of an index that is named by itself, or by its table and its name, and
// the index that is being built: that one, or the one that is to take its place.
func (u Upkeep) indexOf(relation uint32, name string) (named uint32, x catalog.TableIndex, err error) {
	switch r := u.Node.Snapshot().Numbered(relation).(type) {
	case catalog.TableIndex:
		x = r
	case *catalog.Table:
		x = catalog.TableIndex{Table: r, Index: r.Index(index.NameFrom(r, name))}
	default:
		return 0, x, sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", relation)
	}
	if x.Index == nil {
		return 0, x, sqlerr.New(sqlerr.UndefinedObject, "table %q has no index %q", x.Table.Name, name)
	}
	named = x.Index.ID
	builds, err := u.Builds.List(u.Ctx)
	for _, b := range builds {
		replacement := x.Table.IndexByID(b.Index)
		if b.Replaces == named && b.Goal == catalog.Readable && replacement != nil {
			x.Index = replacement
		}
	}
	return named, x, err
}

// ForgetCorrections implements system.Upkeep.
func (u Upkeep) ForgetCorrections(relation uint32) (int64, error) {
	t, err := u.owned(relation)
	if err != nil {
		return 0, err
	}
	return int64(t.Stats.Learned.Forget()), nil
}

// owned is the table with a number, which the role must own.
func (u Upkeep) owned(relation uint32) (*catalog.Table, error) {
	t, ok := u.schema().Numbered(relation).(*catalog.Table)
	if !ok {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "relation with OID %d is not a table", relation)
	}
	return t, u.Statement().MustOwn(u.schema(), t)
}

// Expire implements system.Upkeep. The rows are removed in transactions of their own.
func (u Upkeep) Expire(relation uint32) (int64, error) {
	t, err := u.owned(relation)
	if err != nil {
		return 0, err
	}
	if err := u.Block.RefuseReadOnly("zproxy.expire()"); err != nil {
		return 0, err
	}
	if err := u.Block.NotIn("zproxy.expire()"); err != nil {
		return 0, err
	}
	return u.Indexes().Expiry.Remove(u.Ctx, t.ID)
}
