package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/store"
)

// check compares the indexes of a store with their tables, and fails when something is wrong
// and stays so. It makes nothing but repairs, and those only if they are asked for.
func (p *program) check(ctx context.Context, o *options) (err error) {
	if o.store == storePebble {
		if _, err := os.Stat(o.data); err != nil {
			return err
		}
	}
	log := p.logger(o)
	st, err := openStore(ctx, o, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	db, err := session.Open(ctx, st, session.Options{
		Log: log, Shared: true, Settings: map[string]string{"zproxy.ttl_interval": "0"}, // it changes nothing by itself
	})
	if err != nil {
		return err
	}
	defer db.Close()
	damages := p.damages(ctx, db)
	found, left, unread, err := p.findings(ctx, db, o.repair)
	switch {
	case err != nil:
		return err
	case damages > 0 || unread > 0:
		return fmt.Errorf("%d files are damaged, %d indexes could not be checked for that, and %d entries of the others are not right", damages, unread, left)
	case left > 0 && !o.repair:
		return fmt.Errorf("%d entries of indexes are not right; --repair repairs what can be repaired", left)
	case left > 0:
		return fmt.Errorf("%d of %d entries of indexes are not right and could not be repaired", left, found)
	case found > 0 && !o.repair:
		fmt.Fprintf(p.out, "%d entries of indexes are left over and mislead nobody; --repair takes away what can be taken away\n", found)
	case found > 0:
		fmt.Fprintf(p.out, "%d entries of indexes were not right and are repaired\n", found)
	default:
		fmt.Fprintln(p.out, "all indexes agree with their tables")
	}
	return nil
}

// linesAligned is how many lines of a table are aligned with each other.
const linesAligned = 100

// damages prints which files are damaged, and says how many they are.
func (p *program) damages(ctx context.Context, db *session.DB) (n int) {
	for err := range db.Damages(ctx) {
		fmt.Fprintln(p.out, inFull(err))
		n++
	}
	return n
}

// inFull is an error with its detail.
func inFull(err error) string {
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Detail != "" {
		return e.Message + ". " + e.Detail
	}
	return err.Error()
}

// findings prints what is found, and says how much that is, how much of it is left, and how many indexes
// could not be read.
func (p *program) findings(ctx context.Context, db *session.DB, repair bool) (found, left, unread int, err error) {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	defer func() { err = errors.Join(err, w.Flush()) }()
	for f, err := range db.CheckIndexes(ctx, repair) {
		if errors.As(err, new(*store.Damaged)) {
			unread++
			continue
		}
		if err != nil {
			return found, left, unread, err
		}
		if found == 0 {
			fmt.Fprintln(w, "table\tindex\tclass\tkey\trow\tdetail\trepaired")
		}
		if !f.Repaired && !f.Harmless() {
			left++
		}
		if found++; found%linesAligned == 0 {
			if err := w.Flush(); err != nil {
				return found, left, unread, err
			}
		}
		repaired := map[bool]string{true: "yes", false: "no"}[f.Repaired]
		fmt.Fprintf(w, "%s.%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Table.Schema, f.Table.Name, f.Index.Name, f.Class, f.Key, f.Row, f.Detail, repaired)
	}
	return found, left, unread, nil
}
