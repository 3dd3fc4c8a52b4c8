package access

import (
	"cmp"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Contest is a choice between paths that are held against each other by cost, and so by values:
// the best prefix of an index, boxes and merges; and where no path binds the beginning of a key, those
// that skip through an index.
type Contest struct {
	chooser *chooser
	paths   []path
	behind  []path // prefixes that another one is better than, whatever the values are
	off     Off
	// counts says that only the values tell whether the partitions of an interval can be named, and so which
	// paths there are: they are found anew.
	counts bool
}

// Waiting is the contest between the paths of a scan whose access waits for values. It is the choice
// that the access came from, made ready for a choice by any values.
func Waiting(s plan.Scan, on Store, off Off, env *types.Env) *Contest {
	c := newChooser(s, on, expr.Beforehand(env))
	best := c.rankedPaths(off)
	t := c.contest(best)
	if t != nil {
		t.off = off
	} else {
		t = c.again(best[0])
	}
	c.forget()
	return t
}

// forget lets go of what the choice was begun with, so that several sessions may go on with it: each by its own values.
func (c *chooser) forget() {
	env := &types.Env{}
	if c.ctx.Env != nil {
		*env = c.ctx.Env.Format()
	}
	c.ctx, c.memo = expr.Beforehand(env), &memo{bounds: c.boundsByColumn()}
}

// mostSides bounds the alternatives that the paths of a contest may have together: estimating
// them all again would take longer than a poor choice costs.
const mostSides = 64

// worthAsking is how many rows lookups cost for which it pays to ask whether they are the best path: reading them takes
// longer.
const worthAsking = 1000

// contest is the choice between ranked paths if values may still change it. Where one of them
// finds a row at the most there is nothing to gain, and where nothing is known of the table values
// tell no costs.
func (c *chooser) contest(ranked []*path) *Contest {
	if !c.waits() {
		return nil
	}
	t := &Contest{chooser: c}
	var prefix *path   // the best one
	var kinds [2]*path // the best prefix without lookups, and with them
	sides, costs := 0, false
	for _, p := range ranked {
		kind := &kinds[0]
		if p.access.Lookup {
			kind = &kinds[1]
		}
		switch {
		case p.unique:
			return nil
		case prefix != nil && !p.byCost() && (prefix.equal > 0 || prefix.ranged) && *kind != nil:
			t.behind = append(t.behind, *p)
			continue
		case !p.byCost():
			prefix, *kind = cmp.Or(prefix, p), cmp.Or(*kind, p)
		}
		t.paths = append(t.paths, *p)
		t.counts = t.counts || p.counts()
		sides += 1 + len(p.or.sides)
		costs = costs || p.byCost() || p.access.Skip > 0
	}
	costs = costs || c.mayBeDear(kinds[1], kinds[0])
	if !t.counts && (!c.scan.Table.Stats.Known || len(t.paths) < 2 || sides > mostSides || !costs) {
		return nil
	}
	return t
}

// mayBeDear says whether a path is first by the rules, and dear against another one for some values.
func (c *chooser) mayBeDear(p, plain *path) bool {
	if p == nil || plain == nil {
		return false
	}
	if order, _ := c.ranking().compare(p, plain); order > 0 {
		return false
	}
	most := *p
	rows := c.entries(p)
	for _, b := range p.access.Bounds {
		rows *= cost.Most(c.scan.Table, b, c.ctx)
	}
	e := &most.access.Estimate
	e.Price, e.Lookups, e.Units = rows, rows, rows*e.Each
	return c.ranking().dear(&most, plain)
}

// counts says whether the spans of a path rest on an interval that can perhaps not be counted out.
func (p *path) counts() bool {
	return slices.ContainsFunc(p.stops[:min(p.access.Parts, len(p.stops))], func(s stop) bool { return s.open }) ||
		slices.ContainsFunc(p.or.sides, func(alt alternative) bool { return alt.path.counts() })
}

// again is the estimate of the only path that there is to choose, where it is wanted for each run.
func (c *chooser) again(best *path) *Contest {
	if !c.store.Repriced || !c.scan.Table.Stats.Known || best.unique || !c.waits() {
		return nil
	}
	return &Contest{chooser: c, paths: []path{*best}}
}

// Choose is the access for these values, as good as if they had been constants. What only EXPLAIN wants
// to know, as Candidates, it has only to be shown.
func (t *Contest) Choose(known *expr.Context, shown bool) plan.Access {
	c := t.chooser
	if t.counts {
		anew := newChooser(c.scan, c.store, known)
		anew.final = true
		return anew.chosen(anew.rankedPaths(t.off), shown)
	}
	e := c.knowing(known)
	paths := slices.Clone(t.paths)
	if shown {
		paths = append(paths, t.behind...)
	}
	for i := range paths {
		e.estimate(&paths[i])
	}
	return c.chosen(c.ranking().ranked(paths), shown)
}

// chosen is the access of the best path.
func (c *chooser) chosen(ranked []*path, shown bool) plan.Access {
	a := ranked[0].access.of(c.scan.Table)
	a.Notices = c.notices
	if shown {
		a.Candidates = append(c.ranking().candidates(ranked), c.removed...)
	}
	return a
}
