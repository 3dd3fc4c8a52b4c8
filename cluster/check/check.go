// Package check compares the indexes of tables with their rows while others write, and repairs entries that do not
// agree, in short transactions of its own. It also finds rows that refer to rows which are not there.
// executor.IndexCheck compares one index, or goes through one foreign key, and stores find damaged files.
// Read Checker first, then Table, which is a check of one table.
package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/cluster/failure"
	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/planner/stored"
	"zproxy/store"
)

// Checker checks the indexes and foreign keys of a process's store.
type Checker struct {
	Node   *cluster.Node
	Tables *executor.Tables
	Now    func() time.Time
}

// Finding is an entry of an index that does not agree with the rows of the table, or a row that refers to no other.
type Finding struct {
	Table *catalog.Table
	Name  string // of the index, or of the foreign key
	*executor.Finding
	Repaired bool // nothing is wrong with it any more
}

// All compares the indexes of all tables with their rows, while others go on writing, and repairs what it can if that
// is asked for. It looks for what rows refer to, too. Where an index or its table cannot be read, since a file is
// damaged, it yields the error with the table and the index, and goes on with the next.
func (c Checker) All(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for _, t := range c.Node.Snapshot().Tables() {
			more, err := c.table(ctx, t.ID, repair, yield)
			if err != nil {
				more = yield(Finding{Table: t}, err) && isDamage(err)
			}
			if !more {
				return
			}
		}
	}
}

// table is All for one table, if it is still there. It says whether more is wanted.
func (c Checker) table(ctx context.Context, id uint32, repair bool, yield func(Finding, error) bool) (bool, error) {
	txn, schema, err := c.Node.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(id).(*catalog.Table)
	if t == nil || !t.Kept() {
		return true, nil
	}
	check, err := c.Of(stored.In(schema), t)
	if err != nil {
		return false, err
	}
	check.Repair, check.Read = repair, executor.IndexCheck{Txn: txn}
	for f, err := range check.Findings(ctx, "") {
		if err != nil && !isDamage(err) {
			return false, err
		}
		if !yield(f, err) {
			return false, nil
		}
	}
	return true, nil
}

// Of is a check of a table, with the foreign keys that all of its rows must meet.
func (c Checker) Of(s stored.Expressions, t *catalog.Table) (Table, error) {
	indexed, err := s.Indexed(t)
	if err != nil {
		return Table{}, err
	}
	all, err := referential.Of(s, t)
	keys := slices.DeleteFunc(all.To, func(r plan.Reference) bool { return r.Key.NotValid })
	return Table{Checker: c, Table: indexed, Keys: keys}, err
}

func isDamage(err error) bool { return errors.As(err, new(*store.Damaged)) }

// Damages are the files of the store that are not as they were written, in the words of what a statement
// that reads them would be answered. An error that is not a damage is the last that it yields.
func (c Checker) Damages(ctx context.Context) iter.Seq2[error, error] {
	return func(yield func(damage, err error) bool) {
		v, ok := c.Node.Store.(store.Verifier)
		if !ok {
			return
		}
		for d, err := range v.Verify(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(failure.Damaged(c.Node.Whole(), d, d), nil) {
				return
			}
		}
	}
}
