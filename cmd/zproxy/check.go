package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
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
	n, err := p.findings(ctx, db, repairing{repair: o.repair})
	if err != nil {
		return err
	}
	return p.verdict(n, damages, o.repair)
}

// verdict says what a check came to, and fails when something is wrong and stays so.
func (p *program) verdict(n tally, damages int, repair bool) error {
	switch {
	case damages > 0 || n.unread > 0:
		return fmt.Errorf("%s damaged, %s could not be checked for that, and %s; --salvage copies what can be read",
			counted(damages, "file is", "files are"),
			counted(n.unread, "index or foreign key", "indexes or foreign keys"), n.wrong("the others"))
	case n.left > 0 && !repair:
		return fmt.Errorf("%s; --repair repairs what can be repaired", n.wrong("indexes"))
	case n.left > 0:
		return fmt.Errorf("%s and could not be repaired, of %d that were found", n.wrong("indexes"), n.found)
	case n.found > 0 && !repair:
		fmt.Fprintf(p.out, "%s left over, which changes no answer; --repair takes away what can be taken away\n",
			counted(n.found, "entry of indexes is", "entries of indexes are"))
	case n.found > 0:
		fmt.Fprintf(p.out, "%s repaired\n", counted(n.found, "entry of indexes was not right and is",
			"entries of indexes were not right and are"))
	case n.orphans == 0:
		fmt.Fprintln(p.out, "all indexes agree with their tables")
	}
	if n.orphans > 0 {
		return errors.New(n.wrong("indexes"))
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

// tally is how much a check has found.
type tally struct {
	found   int // entries of indexes
	left    int // those that are not right still
	orphans int // rows that refer to none
	unread  int // indexes and foreign keys that could not be checked
}

// wrong says what is not right: entries, which are those of something, and rows.
func (n tally) wrong(of string) string {
	var out []string
	if n.left > 0 || n.orphans == 0 {
		out = append(out, counted(n.left, "entry of "+of+" is", "entries of "+of+" are")+" not right")
	}
	if n.orphans > 0 {
		out = append(out, counted(n.orphans, "row refers to a row that is not there",
			"rows refer to rows that are not there"))
	}
	slices.Reverse(out)
	return strings.Join(out, ", and ")
}

// findings prints what is found, and says how much that is.
func (p *program) findings(ctx context.Context, db *session.DB, r repairing) (n tally, err error) {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	defer func() { err = errors.Join(err, w.Flush()) }()
	printed := 0
	for f, err := range db.Findings(ctx, r.repair) {
		if errors.As(err, new(*store.Damaged)) {
			n.unread++
			continue
		}
		if err != nil {
			return n, err
		}
		n.add(f)
		if r.quiet && (f.Repaired || f.Harmless()) {
			continue
		}
		if printed == 0 {
			fmt.Fprintln(w, "table\tindex\tclass\tkey\trow\tdetail\trepaired")
		}
		if printed++; printed%linesAligned == 0 {
			if err := w.Flush(); err != nil {
				return n, err
			}
		}
		repaired := map[bool]string{true: "yes", false: "no"}[f.Repaired]
		fmt.Fprintf(w, "%s%s.%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.Database, f.Table.Schema, f.Table.Name, f.Name,
			f.Class, f.Key, f.Row, f.Detail, repaired)
	}
	return n, nil
}

// add counts a finding.
func (n *tally) add(f session.Finding) {
	switch {
	case f.Orphan():
		n.orphans++
		return
	case !f.Repaired && !f.Harmless():
		n.left++
	}
	n.found++
}
