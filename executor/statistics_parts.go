package executor

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

const (
	// wholeRows is up to how many rows all of a table are read. Of a larger one about as many are.
	wholeRows = 200_000
	// sampledParts is how many parts of a large table are read. They lie everywhere in it, since rows next to each
	// other are alike.
	sampledParts = 100
	// mostParts is into how many a table is divided at the most.
	mostParts = 1_000_000
	// unevenParts is how much larger than the others a part may be to be read to its end.
	unevenParts = 4
)

// Reading is how a table is read for its statistics.
type Reading struct {
	Seen *Seen // counts rows as they are read; nil: nothing does
	// Sized divides tables; nil: all rows are read.
	Sized store.Sized
	// Units is how many read units may be charged, where the store charges them; 0: any number.
	Units float64
	// Extended are the statistics objects to collect for, and Above those of the table of which it is a partition.
	Extended, Above []*catalog.Statistics
	// Computed are the expressions that these are over.
	Computed []plan.Predicate
}

// On is a reading of tables of a store, which divides them if it can.
func (by Reading) On(st store.Store) Reading {
	by.Sized, _ = st.(store.Sized)
	return by
}

// Sampling is how much of a table was read for its statistics.
type Sampling struct {
	Rows      int     // of which the statistics are
	Parts, Of int     // how many of about equal parts were read; 1 of 1: all rows
	Charged   float64 // read units
	// thought is how many rows there are by what is known beforehand.
	thought float64
	// ended is how many parts were read to their end, some how many of these have rows, and whole how many rows.
	ended, some, whole int
}

// leastSome is from how many parts with rows the number of all rows is reckoned: of a table with few partitions, by
// hash, most parts have none.
const leastSome = 20

// rows is how many rows the table is thought to have: those that were read; or as many as all parts have if they are as
// large as those that were read to their end, which is so where parts are ranges of hashes. What an ordered store says
// is nearer, since it knows of rows that are in no table yet, unless most of what it counts was deleted.
func (s *Sampling) rows(byHash bool) float64 {
	if s.Parts == s.Of && s.ended == s.Of {
		return float64(s.whole)
	}
	if s.some >= leastSome {
		of := float64(s.whole) * float64(s.Of) / float64(s.ended)
		if byHash || of < s.thought/2 {
			return math.Max(of, float64(s.Rows))
		}
	}
	return math.Max(float64(s.Rows), s.thought)
}

// read reads a table as far as it may.
func (r *surveying) read(ctx context.Context) error {
	space := r.table.TableSpace()
	if r.Sized == nil || r.table.Foreign != nil || space.Host != nil {
		return r.readAll(ctx, math.Inf(1))
	}
	items, _, err := r.Sized.Items(ctx, space)
	if err != nil {
		return err
	}
	r.thought = float64(items)
	if !r.tables.Store.Units {
		if share := wholeRows / math.Max(r.thought, 1); share < 1 {
			return r.sampled(ctx, share, math.Inf(1))
		}
		return r.readAll(ctx, math.Inf(1))
	}
	if r.Units == 0 {
		return r.readAll(ctx, math.Inf(1))
	}
	return r.within(ctx, r.Units)
}

// within reads a table for no more than so many read units. Of how large it is the store knows only what was some hours
// ago, so a table that is thought to be small may come out to be large.
func (r *surveying) within(ctx context.Context, units float64) error {
	bytes, _, err := r.Sized.Bytes(ctx, r.table.TableSpace())
	if err != nil {
		return err
	}
	r.thought = math.Max(r.thought, r.table.Stats.Rows)
	takes := math.Max(float64(bytes), r.thought*r.table.EntryBytes(nil)) / store.ReadUnitBytes
	if takes > units/2 {
		return r.sampled(ctx, units/takes, units)
	}
	if err := r.readAll(ctx, units*3/4); err != nil || r.ended == 1 {
		return err
	}
	// What was read is a sample as good as any, since it was the first of a space that is in the order of hashes.
	if r.thought, err = r.count(ctx, units/4); err != nil {
		return err
	}
	r.Of = r.partsOf(r.thought)
	return nil
}

// partsOf is how many parts so many rows would have, if these are as large as those that were read.
func (r *surveying) partsOf(rows float64) int {
	return max(r.Parts, int(float64(r.Parts)*rows/math.Max(float64(r.Rows), 1)))
}

// count is about how many rows a table has that is not known to be small, from single parts of it.
func (r *surveying) count(ctx context.Context, units float64) (float64, error) {
	const tries = 3
	for of := 100; of <= mostParts; of *= 100 {
		part, ok, err := r.Sized.Part(ctx, r.table.TableSpace(), of/2, of)
		if err != nil || !ok {
			return r.thought, err
		}
		rows, ended := 0, false
		e := r.env(part)
		for batch, err := range r.upTo(e, readAll(ctx, e, r.table), units/tries, &ended) {
			if err != nil {
				return 0, err
			}
			rows += batch.Len()
		}
		r.Charged += e.Total.Stats.ReadUnits
		if ended {
			return float64(rows) * float64(of), nil
		}
	}
	return r.thought, nil // it is one of few partitions, and large
}

// env is where a part of the table is read.
func (r *surveying) env(part store.Range) *Env {
	return &Env{Txn: r.txn, Tables: r.tables, Total: &plan.NodeProfile{},
		division: division{parts: []store.Range{part}}}
}

// upTo ends rows when they have taken so many units, and says whether they have come to their end.
func (r *surveying) upTo(e *Env, rows Rows, units float64, ended *bool) Rows {
	return func(yield func(*types.Batch, error) bool) {
		for batch, err := range rows {
			if !yield(batch, err) || err != nil || e.Total.Stats.ReadUnits > units {
				return
			}
		}
		*ended = true
	}
}

// readAll reads all of the table, or as much as takes so many units. Each batch counts as a part.
func (r *surveying) readAll(ctx context.Context, units float64) error {
	e := &Env{Txn: r.txn, Tables: r.tables, Total: &plan.NodeProfile{}}
	if math.IsInf(units, 1) {
		e = inSegments(r.txn, r.tables, r.table)
	}
	ended := false
	for batch, err := range r.upTo(e, readAll(ctx, e, r.table), units, &ended) {
		if err != nil {
			return err
		}
		r.add(batch)
		if r.Parts++; r.cut {
			break
		}
	}
	r.Charged += e.Total.Stats.ReadUnits
	if ended || r.cut {
		r.Parts, r.Of, r.ended, r.whole = 1, 1, 1, r.Rows
	}
	return nil
}

// sampled reads parts everywhere in the table that have a share of it, until they have taken so many units. By hash a
// table with few partitions may have hardly any rows in them. Then it is read from the front.
func (r *surveying) sampled(ctx context.Context, share, units float64) error {
	of := int(math.Min(sampledParts/math.Min(share, 1), mostParts))
	var parts []store.Range
	for _, number := range chosenParts(r.table, of) {
		part, ok, err := r.Sized.Part(ctx, r.table.TableSpace(), number, of)
		switch {
		case err != nil:
			return err
		case !ok && r.tables.Store.Units:
			return fmt.Errorf("table %q cannot be read in parts", r.table.Name)
		case !ok:
			return r.readAll(ctx, math.Inf(1))
		}
		parts = append(parts, part)
	}
	r.Of = of
	most := int(unevenParts*r.thought/float64(of)) + types.BatchRows
	for _, part := range parts {
		e, before, ended := r.env(part), r.Rows, false
		for batch, err := range r.upTo(e, readAll(ctx, e, r.table), units, &ended) {
			if err != nil {
				return err
			}
			if r.add(batch); r.Rows-before > most {
				break
			}
		}
		units -= e.Total.Stats.ReadUnits
		r.Charged += e.Total.Stats.ReadUnits
		r.Parts++
		if n := r.Rows - before; ended {
			r.ended, r.whole, r.some = r.ended+1, r.whole+n, r.some+min(n, 1)
		}
		if units <= 0 {
			return nil
		}
	}
	if r.tables.Store.Segments > 0 && float64(r.Rows) < share*r.thought/10 {
		return r.fromFront(ctx, units)
	}
	return nil
}

// fromFront begins anew, and reads the table from the front as far as so many units go.
func (r *surveying) fromFront(ctx context.Context, units float64) error {
	anew := newSurveying(r.txn, r.tables, r.table, r.Reading)
	anew.Charged, anew.thought = r.Charged, r.thought
	*r = *anew
	if err := r.readAll(ctx, units); err != nil || r.ended == 1 {
		return err
	}
	r.Of = r.partsOf(r.thought)
	return nil
}

// chosenParts are the numbers of some parts of a table, in ascending order, always the same ones. The first and the
// last are among them: in the order of keys they have the least and the greatest.
func chosenParts(t *catalog.Table, of int) []int {
	random := rand.New(rand.NewPCG(uint64(t.ID), uint64(of)))
	chosen := map[int]bool{0: true, of - 1: true}
	for len(chosen) < min(sampledParts, of) {
		chosen[random.IntN(of)] = true
	}
	return slices.Sorted(maps.Keys(chosen))
}
