package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const zorderRows = 2_000_000

// zorderData is the data sets of the Z-order measurements. They are made once and stay loaded from one to the next.
type zorderData struct {
	sets    []*dataset
	missing string // says which set could not be had
	sides   [2]map[*dataset]*zorderTable
}

// zorderTable is the table of a data set on one side.
type zorderTable struct {
	*dataset
	conn    *pgx.Conn
	load    time.Duration
	indexes map[string]string // those that there are: name to definition
}

// zorder returns the data sets.
func (b *bench) zorder(ctx context.Context) *zorderData {
	if b.zorderSets != nil {
		return b.zorderSets
	}
	n := b.scaled(zorderRows)
	d := &zorderData{sets: []*dataset{uniform(b.seed, n), mixture(b.seed, n)}}
	real, err := flights(ctx, b.cache, b.scaled(flightRows))
	if err == nil {
		d.sets = append(d.sets, real)
	} else {
		d.missing = "The flights are missing, since they could not be fetched by npm."
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	for i := range d.sides {
		d.sides[i] = map[*dataset]*zorderTable{}
	}
	b.zorderSets = d
	return d
}

// about describes the data.
func (d *zorderData) about() string {
	text := "The data sets, with id int8 primary key:"
	for _, s := range d.sets {
		text += fmt.Sprintf(" %s (%s), %s rows;", s.name, s.about, whole(len(s.rows)))
	}
	text = text[:len(text)-1] + ". A, b and c are the first dimensions."
	if d.missing != "" {
		text += " " + d.missing
	}
	return text
}

// on returns the table of a data set on a side, loaded.
func (d *zorderData) on(ctx context.Context, b *bench, i int, set *dataset) (*zorderTable, error) {
	if t := d.sides[i][set]; t != nil {
		return t, nil
	}
	conns, err := connectAll(ctx, b.sides[i], 1)
	if err != nil {
		return nil, err
	}
	t := &zorderTable{dataset: set, conn: conns[0], indexes: map[string]string{}}
	t.load, err = load(ctx, t.conn, loading{
		table: t.table(), columns: "(" + set.definition() + ")", rows: len(set.rows), appendRow: set.appendRow,
		after: b.sides[i].atRest(t.table()),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.sides[i].name, err)
	}
	d.sides[i][set] = t
	logTook(b.sides[i].name+": load "+t.table(), t.load)
	return t, nil
}

// logTook tells what was done.
func logTook(what string, took time.Duration) {
	fmt.Fprintf(os.Stderr, "%s: %.1f s\n", what, took.Seconds())
}

func (s *dataset) table() string { return "z_" + s.name }

// index returns the name of an index of the table.
func (s *dataset) index(name string) string { return s.table() + "_" + name }

// withIndexes leaves the table with these indexes, from the end of their names to what stands behind ON and the
// table, and no others.
func (t *zorderTable) withIndexes(ctx context.Context, wanted map[string]string) error {
	changed := false
	for name := range t.indexes {
		if wanted[name] == t.indexes[name] {
			continue
		}
		if err := execAll(ctx, t.conn, "DROP INDEX "+t.index(name)); err != nil {
			return err
		}
		delete(t.indexes, name)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if t.indexes[name] != "" {
			continue
		}
		start := time.Now()
		create := "CREATE INDEX " + t.index(name) + " ON " + t.table() + " " + wanted[name]
		if err := execAll(ctx, t.conn, create); err != nil {
			return err
		}
		logTook(create, time.Since(start))
		t.indexes[name], changed = wanted[name], true
	}
	if changed {
		return execAll(ctx, t.conn, "ANALYZE "+t.table())
	}
	return nil
}

// query returns a query for the ids in a region, with a hint where one is given.
func (t *zorderTable) query(r region, hint string) string {
	if hint != "" {
		hint = "/*+ " + hint + " */ "
	}
	return "SELECT " + hint + "id FROM " + t.table() + " WHERE " + t.where(r)
}

// hint returns zproxy's hint of that name for indexes of the table.
func (t *zorderTable) hint(name string, indexes ...string) string {
	list := t.table()
	for _, index := range indexes {
		list += ", " + t.index(index)
	}
	return name + "(" + list + ")"
}
