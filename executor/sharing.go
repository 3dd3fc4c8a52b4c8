package executor

import (
	"bytes"
	"math"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/store/together"
)

// sharing is what scans below the joins that run read together: of each access by its partitions.
type sharing map[*plan.Access]map[string]*together.Page

const (
	// mostShared is in how many partitions scans read together, each of which holds a page in memory.
	mostShared = 100
	// leastShared is how many items such a page may have, however few are thought to be there.
	leastShared = 100
)

// share finds what scans below a join read together, until what it returns is called.
func (f frame) share(n plan.Join) (done func(), err error) {
	c := common{frame: f, ranges: map[string]*commonRange{}}
	if n.Method != nil && n.Method.Shares {
		err = c.visit(n)
	}
	held := f.hold()
	for key, r := range c.ranges {
		if len(r.readers) < 2 || len(c.ranges) > mostShared {
			delete(c.ranges, key)
			continue
		}
		if err = held.add(int64(min(float64(r.page.Enough)*r.width, store.PageBytes))); err != nil {
			break
		}
		for _, a := range r.readers {
			if f.env.sharing == nil {
				f.env.sharing = sharing{}
			}
			if f.env.sharing[a] == nil {
				f.env.sharing[a] = map[string]*together.Page{}
			}
			f.env.sharing[a][r.partition] = &r.page
		}
	}
	return func() {
		for _, r := range c.ranges {
			for _, a := range r.readers {
				delete(f.env.sharing, a)
			}
		}
		held.release()
	}, err
}

// common are ranges that scans read in the same partitions, by the table or index and the partition.
type common struct {
	frame
	ranges map[string]*commonRange
}

// commonRange is all of a partition that its readers read.
type commonRange struct {
	partition string
	page      together.Page
	width     float64 // of an item
	readers   []*plan.Access
}

// visit goes to the scans that run once for each run of a node, and that no join further up has found.
func (c *common) visit(n plan.Node) error {
	switch n := n.(type) {
	case plan.Scan:
		if n.Access.Shares() && c.env.sharing[n.Access] == nil {
			return c.add(n)
		}
	case plan.Project:
		return c.visit(n.Input)
	case plan.Filter:
		return c.visit(n.Input)
	case plan.Sort:
		return c.visit(n.Input)
	case plan.Join:
		if n.Method == nil || n.Method.Strategy != plan.Hash {
			return nil
		}
		if err := c.visit(n.Left); err != nil {
			return err
		}
		return c.visit(n.Right)
	}
	return nil
}

// add adds the ranges of a scan.
func (c *common) add(n plan.Scan) error {
	of, err := c.env.Tables.of(n.Table)
	if err != nil {
		return err
	}
	from, err := of.layoutOf(n.Access.Index())
	if err != nil {
		return err
	}
	path, _ := n.Access.Spans()
	in := spanReader{&reader{frame: c.frame, scan: n, table: of, from: from}, path}
	spans, sets, err := in.spans()
	if err != nil || sets == nil {
		return err
	}
	ranges := in.rangesOf(spans)
	e := n.Access.Estimate
	for _, g := range ranges {
		o := from.space.Outside
		key := o.Table + "\x00" + o.Index + "\x00" + string(g.Partition)
		r := c.ranges[key]
		if r == nil {
			r = &commonRange{partition: string(g.Partition), page: together.Page{From: g.From, To: g.To}}
			c.ranges[key] = r
		}
		r.extend(g)
		rows := 2 * e.Rows / float64(len(ranges)) // of the scan that all requests are laid to: those of all
		r.page.Enough = max(r.page.Enough, leastShared, int(min(rows, math.MaxInt32)))
		r.width = max(r.width, e.Width)
		r.readers = append(r.readers, n.Access)
	}
	return nil
}

// extend makes the range one that another one lies in, too.
func (r *commonRange) extend(by store.Range) {
	p := &r.page
	if bytes.Compare(by.From, p.From) < 0 {
		p.From = by.From
	}
	if p.To != nil && (by.To == nil || bytes.Compare(by.To, p.To) > 0) {
		p.To = by.To
	}
}

// sharedPage is what a reader and others read in a partition; nil: it reads by itself.
func (r *reader) sharedPage(partition []byte) *together.Page {
	return r.env.sharing[r.scan.Access][string(partition)]
}

// sharedKeys are ranges of some keys, where the items at all of them are read with others.
func (r *reader) sharedKeys(keys []store.Key) ([]store.Range, bool) {
	if r.env.sharing[r.scan.Access] == nil {
		return nil, false
	}
	out := make([]store.Range, len(keys))
	for i, k := range keys {
		if r.sharedPage(k.Partition) == nil {
			return nil, false
		}
		out[i] = store.Range{Partition: k.Partition, From: k.Sort, To: append(bytes.Clone(k.Sort), 0)}
	}
	return out, true
}
