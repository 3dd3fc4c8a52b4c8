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
			return fmt.Errorf("there is no store to check: %w; --data says where it is", err)
		}
	}
	if o.salvage != "" {
		return p.salvage(ctx, o)
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
	damages, err := p.damages(ctx, db)
	if err != nil {
		return err
	}
	found, left, unread, err := p.findings(ctx, db, repairing{repair: o.repair})
	switch {
	case err != nil:
		return err
	case damages > 0 || unread > 0:
		return fmt.Errorf("%s damaged, %s could not be checked for that, and %s not right; --salvage copies what can be read",
			counted(damages, "file is", "files are"), counted(unread, "index", "indexes"),
			counted(left, "entry of the others is", "entries of the others are"))
	case left > 0 && !o.repair:
		return fmt.Errorf("%s not right; --repair repairs what can be repaired",
			counted(left, "entry of indexes is", "entries of indexes are"))
	case left > 0:
		return fmt.Errorf("%s not right and could not be repaired, of %d that were found",
			counted(left, "entry of indexes is", "entries of indexes are"), found)
	case found > 0 && !o.repair:
		fmt.Fprintf(p.out, "%s left over, which changes no answer; --repair takes away what can be taken away\n",
			counted(found, "entry of indexes is", "entries of indexes are"))
	case found > 0:
		fmt.Fprintf(p.out, "%s repaired\n", counted(found, "entry of indexes was not right and is",
			"entries of indexes were not right and are"))
	default:
		fmt.Fprintln(p.out, "all indexes agree with their tables")
	}
	return nil
}

// linesAligned is how many lines of a table are aligned with each other.
const linesAligned = 100

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// damages prints which files are damaged, and says how many they are.
func (p *program) damages(ctx context.Context, db *session.DB) (n int, err error) {
	for damage, err := range db.Checker().Damages(ctx) {
		if err != nil {
			return n, err
		}
		fmt.Fprintln(p.out, inFull(damage))
		n++
	}
	return n, nil
}

// inFull is an error with its detail.
func inFull(err error) string {
	var e *sqlerr.Error
	if errors.As(err, &e) && e.Detail != "" {
		return e.Message + ". " + e.Detail
	}
	return err.Error()
}

// repairing is what is done about findings.
type repairing struct {
	repair bool
	quiet  bool // what is repaired is not printed
}

// findings prints what is found, and says how much that is, how much of it is left, and how many indexes
// could not be read.
func (p *program) findings(ctx context.Context, db *session.DB, r repairing) (found, left, unread int, err error) {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	defer func() { err = errors.Join(err, w.Flush()) }()
	printed := 0
	for f, err := range db.Findings(ctx, r.repair) {
		if errors.As(err, new(*store.Damaged)) {
			unread++
			continue
		}
		if err != nil {
			return found, left, unread, err
		}
		found++
		if r.quiet && (f.Repaired || f.Harmless()) {
			continue
		}
		if printed == 0 {
			fmt.Fprintln(w, "table\tindex\tclass\tkey\trow\tdetail\trepaired")
		}
		if !f.Repaired && !f.Harmless() {
			left++
		}
		if printed++; printed%linesAligned == 0 {
			if err := w.Flush(); err != nil {
				return found, left, unread, err
			}
		}
		repaired := map[bool]string{true: "yes", false: "no"}[f.Repaired]
		fmt.Fprintf(w, "%s%s.%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Database, f.Table.Schema, f.Table.Name, f.Name,
			f.Class, f.Key, f.Row, f.Detail, repaired)
	}
	return found, left, unread, nil
}
