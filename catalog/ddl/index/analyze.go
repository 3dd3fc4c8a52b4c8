package index

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/curve"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// analyzeTables runs ANALYZE.
func (d *Definer) analyzeTables(ctx context.Context, tree *ast.Analyze) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	tables, err := d.named(change.Snap, tree, "analyze")
	if err != nil {
		return err
	}
	a := analyzing{telling{d, tree.Verbose}, map[uint32]*executor.Survey{}}
	for _, t := range tables {
		if t.Partitioning != nil {
			by, err := reading(d, t)
			if err != nil {
				return err
			}
			a.trees[t.ID] = by.Whole(t)
		}
	}
	for _, t := range tables {
		if !change.Snap.Owns(d.Role, t) && !change.Snap.Owns(d.Role, change.Snap.Database()) {
			if err := d.Notice(sqlerr.Warn(sqlerr.Warning,
				"skipping \"%s\" --- only table or database owner can analyze it", t.Name)); err != nil {
				return err
			}
			for _, above := range catalog.WithParents(change.Snap, t)[1:] {
				delete(a.trees, above.ID)
			}
			continue
		}
		if err := d.Txn.WithoutChanges(ctx, t); err != nil {
			return err
		}
		if t.Partitioning != nil {
			err = a.tree(ctx, t)
		} else {
			err = a.table(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// analyzing is an ANALYZE that is under way, and what it has read of partitions of the tables that it analyzes.
type analyzing struct {
	telling
	trees map[uint32]*executor.Survey
}

// table reads a table and keeps what its rows have shown.
func (a analyzing) table(ctx context.Context, t *catalog.Table) error {
	if err := a.begins(t); err != nil {
		return err
	}
	began := a.Now()
	survey, err := a.Measure(ctx, t, nil)
	if err != nil {
		return err
	}
	if survey.Cut {
		if err := a.extrapolate(ctx, t, &survey.Stats); err != nil {
			return err
		}
	}
	if err := a.ends(t, survey); err != nil {
		return err
	}
	for _, above := range catalog.WithParents(a.Schema(), t)[1:] {
		if whole := a.trees[above.ID]; whole != nil {
			whole.Add(survey)
		}
	}
	known := *t
	known.Stats = survey.Stats
	known.Stats.Analyzed, known.Stats.Renewed = began, t.Stats.Renewed
	indexed, err := a.Planner(a.Schema()).Stored().Indexed(&known)
	if err == nil {
		err = survey.Learn(indexed, &known.Stats)
	}
	if err != nil {
		return err
	}
	if err := a.Txn.Put(ctx, &known); err != nil {
		return err
	}
	if t.Foreign != nil {
		return nil // its keys are for others to choose
	}
	return a.adviseByValues(&known, survey)
}

// tree keeps what the rows of all partitions of a table have shown, which were read before it.
func (a analyzing) tree(ctx context.Context, t *catalog.Table) error {
	survey := a.trees[t.ID]
	if survey == nil {
		return nil // a partition was left out
	}
	survey.SumUp()
	if err := a.info("analyzing \"%s.%s\" inheritance tree", t.Schema, t.Name); err != nil {
		return err
	}
	if err := a.ends(t, survey); err != nil {
		return err
	}
	known := *t
	known.Stats = survey.Stats
	known.Stats.Analyzed = a.Now()
	return a.Txn.Put(ctx, &known)
}

// telling tells the client with VERBOSE what ANALYZE does.
type telling struct {
	*Definer
	verbose bool
}

// begins says which table is read, and what that may be charged.
func (d telling) begins(t *catalog.Table) error {
	most := ""
	if d.Node.Store.Capabilities().Units && d.AnalyzeUnits > 0 {
		most = fmt.Sprintf(", for at most about %d read units", d.AnalyzeUnits)
	}
	return d.info("analyzing \"%s.%s\"%s", t.Schema, t.Name, most)
}

// ends says how much of a table was read.
func (d telling) ends(t *catalog.Table, s *executor.Survey) error {
	took := ""
	if d.Node.Store.Capabilities().Units {
		took = fmt.Sprintf(", %.1f read units", s.Charged)
	}
	return d.info("\"%s\": read %d of %d parts, containing %d rows; %.0f estimated total rows%s", t.Name, s.Parts, s.Of,
		s.Rows, s.Stats.Rows, took)
}

// info is a message that the client has asked for.
func (d telling) info(format string, args ...any) error {
	if !d.verbose {
		return nil
	}
	message := sqlerr.Notice(sqlerr.SuccessfulCompletion, format, args...)
	message.Severity = "INFO"
	return d.Notice(message)
}

// adviseByValues tells the client what the values of the rows have shown of the keys of a table.
func (d *Definer) adviseByValues(t *catalog.Table, survey *executor.Survey) error {
	known := advice.Known{Stats: t.Stats, Samples: map[uint32][]types.Value{}, Anew: map[uint32][]catalog.Dimension{},
		Follows: survey.Follows, Newest: d.Tables.Newest}
	for _, x := range t.Indexes {
		if x.Method != catalog.ZOrder {
			continue
		}
		samples := curve.Samples(&x.Layout, survey.Sample)
		if err := d.learnMaps(t, &x, t.Stats, samples); err != nil {
			return err
		}
		known.Anew[x.ID] = x.Layout.Curve()
		maps.Copy(known.Samples, samples)
	}
	return d.AdviseTable(t, known, advice.ByValues)
}

// named are the tables that a statement names, or all. One that has partitions comes behind these, and one that has
// none is left out, since it has no rows. What is no table is skipped: it has nothing to analyze, or to vacuum.
func (d *Definer) named(snap *catalog.Snapshot, tree *ast.Analyze, do string) ([]*catalog.Table, error) {
	list := slices.DeleteFunc(snap.Tables(), func(t *catalog.Table) bool { return t.PartitionOf != nil })
	if len(tree.Tables) > 0 {
		list = nil
	}
	for i, name := range tree.Tables {
		t, err := d.Planner(snap).Table(name)
		if sqlerr.Has(err, sqlerr.WrongObjectType) {
			if err := skips(d, name.Name, do); err != nil {
				return nil, err
			}
			continue
		}
		if err == nil {
			err = hasColumns(t, tree.Columns[i])
		}
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	var out []*catalog.Table
	for _, t := range list {
		leaves := snap.Leaves(t)
		for _, one := range append(slices.Clip(leaves), t) {
			if len(leaves) > 0 && !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	return out, nil
}

// skips warns of a relation that ANALYZE or VACUUM names in vain.
func skips(d *Definer, name, do string) error {
	return d.Notice(sqlerr.Warn(sqlerr.Warning,
		"skipping \"%s\" --- cannot %s non-tables or special system tables", name, do))
}

// hasColumns checks the columns that ANALYZE names.
func hasColumns(t *catalog.Table, columns []string) error {
	for i, name := range columns {
		switch at := t.Column(name); {
		case at < 0 || t.Columns[at].Hidden:
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", name, t.Name)
		case slices.Contains(columns[:i], name):
			return sqlerr.New(sqlerr.DuplicateColumn, "column %q of relation %q appears more than once", name, t.Name)
		}
	}
	return nil
}

// vacuum runs VACUUM. A store reclaims space by itself, so that only ANALYZE is something
// to do.
func (d *Definer) vacuum(ctx context.Context, tree *ast.Vacuum) error {
	if err := d.Block.NotIn("VACUUM"); err != nil {
		return err
	}
	tables, err := d.named(d.Schema(), &tree.Analyze, "vacuum")
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.Foreign == nil || len(tree.Tables) == 0 {
			continue
		}
		if err := skips(d, t.Name, "vacuum"); err != nil {
			return err
		}
	}
	if tree.Learn {
		return d.analyzeTables(ctx, &tree.Analyze)
	}
	return nil
}

// extrapolate makes of what is known of the first rows of a table what is thought of all of them:
// values that hardly repeat are thought to go on so.
func (d *Definer) extrapolate(ctx context.Context, t *catalog.Table, known *catalog.Stats) error {
	o, err := d.ServerNamed(t.Foreign.Server)
	if err != nil {
		return err
	}
	now, err := o.Describe(ctx, t.Foreign.Table)
	if err != nil || now == nil || float64(now.Items) <= known.Rows {
		return err
	}
	times := float64(now.Items) / known.Rows
	for id, c := range known.Columns {
		if c.Distinct > known.Rows/2 {
			c.Distinct *= times
			known.Columns[id] = c
		}
	}
	known.Rows = float64(now.Items)
	return nil
}
