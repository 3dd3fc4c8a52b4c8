package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"

	"zproxy/catalog/salvage"
	"zproxy/session"
	"zproxy/store/pebblestore"
)

// salvage copies what can be read of a damaged store to a new folder, makes the indexes there agree with the rows,
// and lists what could not be read. It fails when rows may be missing.
func (p *program) salvage(ctx context.Context, o *options) error {
	if o.repair {
		return errors.New("--repair changes the store, and --salvage must not; the indexes of the new store are repaired anyway")
	}
	log := p.logger(o)
	sv, err := openSalvage(ctx, o, log)
	if err != nil {
		return err
	}
	db, found, err := openCopied(ctx, sv, log)
	if err != nil {
		return errors.Join(fmt.Errorf("the catalog cannot be used, so that nothing can be saved: %w", err),
			sv.Store.Close())
	}
	n, err := p.salvaged(ctx, db, found)
	db.Close()
	if err != nil {
		return errors.Join(err, sv.Store.Close())
	}
	if err := sv.Finish(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s is a store that can be served; %s made, replaced or taken away\n", o.salvage,
		counted(n.found-n.left, "entry of its indexes was", "entries of its indexes were"))
	rows := len(found.Unowned) > 0 || slices.ContainsFunc(found.Lost,
		func(l salvage.LostRange) bool { return l.Rows() })
	if slices.ContainsFunc(found.Lost, func(l salvage.LostRange) bool { return l.Catalog() }) {
		fmt.Fprintln(p.out, "the catalog may lack tables, views, sequences, roles and rights, or have them as they were before: look at them before clients connect")
	}
	switch {
	case n.left > 0:
		return fmt.Errorf("%s and could not be repaired; within the ranges above rows may be missing", n.wrong("indexes"))
	case n.orphans > 0:
		return fmt.Errorf("%s; within the ranges above rows may be missing", n.wrong("indexes"))
	case rows:
		return errors.New("within the ranges above rows may be missing, be as they were before their last change, or be there though they were deleted")
	}
	fmt.Fprintln(p.out, "no row is lost")
	return nil
}

func openSalvage(ctx context.Context, o *options, log *slog.Logger) (*pebblestore.Salvage, error) {
	from, err := filepath.Abs(o.data)
	if err != nil {
		return nil, err
	}
	to, err := filepath.Abs(o.salvage)
	if err != nil {
		return nil, err
	}
	sv, err := pebblestore.OpenSalvage(ctx, from, to, o.pebble(log))
	if errors.Is(err, syscall.EAGAIN) { // the lock on the folder
		return nil, fmt.Errorf("another process has the folder %s open", from)
	}
	return sv, err
}

// openCopied opens the store to which was copied what could be read.
func openCopied(ctx context.Context, sv *pebblestore.Salvage, log *slog.Logger) (
	*session.DB, *salvage.Found, error) {
	found, err := salvage.Mend(ctx, sv.Store, sv.Copied)
	if err != nil {
		return nil, nil, err
	}
	db, err := session.Open(ctx, sv.Store, session.Options{
		Log: log, Shared: true, Settings: map[string]string{"zproxy.ttl_interval": "0"},
	})
	if err != nil {
		return nil, nil, err
	}
	if err := found.Describe(db.Whole()); err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, found, nil
}

// salvaged prints what is there and what is not, and repairs the indexes.
func (p *program) salvaged(ctx context.Context, db *session.DB, found *salvage.Found) (tally, error) {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	if len(found.Lost) > 0 {
		fmt.Fprintln(w, "file\ttable\tindex\tfrom\tto\treason")
	}
	for _, l := range found.Lost {
		table, from, to := l.Table, l.From, l.To
		if table == "" {
			table = "all"
		}
		if from == "" {
			from = "the first"
		}
		if to == "" {
			to = "the last"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", l.File, table, l.Index, from, to, l.Reason)
	}
	for _, t := range found.Unowned {
		fmt.Fprintf(w, "\t%s\t\t\t\tthe catalog does not say any more what it is: its %d items are left out\n", t.Name,
			t.Rows)
	}
	if err := w.Flush(); err != nil {
		return tally{}, err
	}
	fmt.Fprintln(w, "table\trows copied")
	for _, t := range found.Tables {
		fmt.Fprintf(w, "%s\t%d\n", t.Name, t.Rows)
	}
	if err := w.Flush(); err != nil {
		return tally{}, err
	}
	return p.findings(ctx, db, repairing{repair: true, quiet: true})
}
