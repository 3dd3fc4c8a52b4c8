package session

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// fullScanSetting says what becomes of a statement that reads all of a table.
const fullScanSetting = "zproxy.full_scan"

// What it may be.
const (
	allowFullScan  = "allow"
	noticeFullScan = "notice"
	refuseFullScan = "refuse"
)

// few is how many rows a statement may read from anywhere in a table: by its LIMIT, or because
// the table is known to have no more.
const few = 1000

// liftHint ends what a client is told.
const liftHint = " ALLOW FILTERING at the end of the statement lets it read everything."

// shardsOfProposal is in how many shards a proposed index lies, where it must.
const shardsOfProposal = "4"

// fullScans are the scans of a plan that read all of a table which may be large. A LIMIT may
// have a parameter, so it is not asked here.
func fullScans(scans []plan.Scan) []plan.Scan {
	var out []plan.Scan
	for _, scan := range scans {
		if scan.Access != nil && readsAll(scan) && !isSmall(scan.Table) {
			out = append(out, scan)
		}
	}
	return out
}

// readsAll says whether nothing that was asked for keeps a scan from any row. That rows which are
// due are not wanted keeps it from few.
func readsAll(scan plan.Scan) bool {
	lifetime := func(bounds []plan.Bound) bool {
		return scan.Table.TTL != nil && !slices.ContainsFunc(bounds, func(b plan.Bound) bool { return b.Column != scan.Table.TTL.Column || len(b.Terms) > 1 })
	}
	a := scan.Access
	switch {
	case a.ReadsAll():
		return true
	case a.Keys != nil, a.Partial(), !lifetime(a.Bounds):
		return false
	}
	return !slices.ContainsFunc(a.Either, func(alt plan.Alternative) bool { return !lifetime(alt.Bounds) })
}

// asked are the conditions that the statement asks for, and not that rows which are due are left
// out.
func asked(t *catalog.Table, conditions []expr.Expr) []expr.Expr {
	alive := plan.Alive(t)
	if alive == nil {
		return conditions
	}
	return slices.DeleteFunc(slices.Clone(conditions), func(e expr.Expr) bool { return e.String() == alive.String() })
}

func isSmall(t *catalog.Table) bool { return t.Stats.Known && t.Stats.Rows <= few }

// unwanted are the scans that read all of a table in spite of the setting's value, and what is
// known when the statement runs.
func (s *Session) unwanted(ctx context.Context, st *Statement, params []types.Value, when string) ([]plan.Scan, *expr.Context) {
	if st.readsAll == nil && !s.settles(st) || s.settings.fullScan != when || st.allowFiltering {
		return nil, nil
	}
	known := s.context(ctx, params)
	scans := st.readsAll
	if s.settles(st) {
		scans = fullScans(plan.Scans(s.planFor(st, known)))
	}
	return unbounded(scans, known), known
}

// refuseFullScans refuses to run a statement that reads all of a table, if the session wants
// that.
func (s *Session) refuseFullScans(ctx context.Context, st *Statement, params []types.Value) error {
	scans, known := s.unwanted(ctx, st, params, refuseFullScan)
	if len(scans) == 0 {
		return nil
	}
	t := scans[0].Table
	return s.withRemedy(st, scans[0], known, sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would read all of table %q", t.Name))
}

// noticeFullScans tells the client that a statement reads all of a table, if the session wants
// that.
func (s *Session) noticeFullScans(ctx context.Context, p *Portal, c Client) error {
	scans, known := s.unwanted(ctx, p.statement, p.params, noticeFullScan)
	for _, scan := range scans {
		notice := sqlerr.Notice(sqlerr.SuccessfulCompletion, "statement reads all of table %q", scan.Table.Name)
		if err := c.Notice(s.withRemedy(p.statement, scan, known, notice)); err != nil {
			return fmt.Errorf("notice: %w", err)
		}
	}
	return nil
}

// unbounded are the scans that no LIMIT ends after few rows.
func unbounded(scans []plan.Scan, known *expr.Context) []plan.Scan {
	return slices.DeleteFunc(slices.Clone(scans), func(scan plan.Scan) bool { return bounded(scan, known) })
}

// bounded says whether a LIMIT ends a scan after few rows. One over conditions does not: how
// many rows are read until enough of them pass is not known.
func bounded(scan plan.Scan, known *expr.Context) bool {
	a := scan.Access
	if a.Most == nil || len(asked(scan.Table, a.EntryFilter))+len(asked(scan.Table, a.RowFilter)) > 0 {
		return false
	}
	count, offset := rowsOfLimit(a.Most.Count, math.MaxInt64, known), rowsOfLimit(a.Most.Offset, 0, known)
	return count <= few && offset <= few && count+offset <= few
}

// rowsOfLimit is what LIMIT or OFFSET says, none where it says nothing, and far too much where
// it is not known yet.
func rowsOfLimit(e expr.Expr, none int64, known *expr.Context) int64 {
	if e == nil {
		return none
	}
	switch v, err := e.Eval(known, nil); {
	case err != nil:
		return math.MaxInt64
	case v.IsNull():
		return none
	default:
		return v.Int()
	}
}

// wholeSpace is what a scan asks before it reads everything because too many partitions would
// have to be named: how many a condition leaves shows only when the statement runs. It is nil
// when the statement may filter.
func (s *Session) wholeSpace(st *Statement, known *expr.Context) func(plan.Scan) error {
	if s.settings.fullScan != refuseFullScan || st.allowFiltering {
		return nil
	}
	return func(scan plan.Scan) error {
		if isSmall(scan.Table) || bounded(scan, known) {
			return nil
		}
		points, intervals := access.Searchable(scan)
		ddl := advice.Propose(scan.Table, catalog.BTree, append(points, intervals...), map[string]string{"shards": shardsOfProposal})
		hint := "No index was found that would let it read less."
		if s.isRead(st, scan.Table, ddl, known) {
			hint = "An index in shards would serve: " + ddl + "."
		}
		return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement would read all of table %q", scan.Table.Name).
			WithDetail("The conditions leave more partitions than can be read one by one, and the setting zproxy.full_scan is %q.", refuseFullScan).
			WithHint("%s", hint+liftHint)
	}
}

// isRead says whether a statement whose values are known would read an index that it proposes, and not
// another one that there is, perhaps the same.
func (s *Session) isRead(st *Statement, t *catalog.Table, ddl string, known *expr.Context) bool {
	with := s.withProposal(t, ddl)
	if with == nil {
		return false
	}
	n, _, err := s.optimized(s.schema().With(with), st)
	proposed := with.Indexes[len(with.Indexes)-1].Name
	return err == nil && slices.ContainsFunc(plan.Scans(n), func(scan plan.Scan) bool {
		if scan.Table.ID != t.ID || scan.Access == nil {
			return false
		}
		a := *scan.Access
		if a.Contest != nil {
			a = a.Contest.Settle(known, false)
		}
		return a.Index != nil && a.Index.Name == proposed
	})
}

// withRemedy adds to a message about a scan what the client can do.
func (s *Session) withRemedy(st *Statement, scan plan.Scan, known *expr.Context, message *sqlerr.Error) *sqlerr.Error {
	hint := s.remedy(st, scan, func(n plan.Node) bool {
		return !slices.ContainsFunc(unbounded(fullScans(plan.Scans(n)), known), func(other plan.Scan) bool { return other.Table.ID == scan.Table.ID })
	})
	if !scan.Table.Stats.Known {
		hint += fmt.Sprintf(" ANALYZE lets a table of at most %d rows be read as a whole.", few)
	}
	return message.WithDetail("The setting zproxy.full_scan is %q.", s.settings.fullScan).
		WithHint("%s", hint+liftHint)
}

// remedy names an index with which a scan would do: one that is there but is not read yet, or one
// that can be made. It is tried before it is named: does says whether the plan that comes of it is better.
func (s *Session) remedy(st *Statement, scan plan.Scan, does func(plan.Node) bool) string {
	t := scan.Table
	serves := func(other *catalog.Table) bool {
		n, _, err := s.optimized(s.schema().With(other), st)
		return err == nil && does(n)
	}
	if t.Foreign != nil {
		return foreignRemedy(t, serves)
	}
	scan.Filter = asked(t, scan.Filter)
	for i := range t.Indexes {
		if x := &t.Indexes[i]; !x.State.Reads() && serves(t.WithState(x.ID, catalog.Readable)) {
			return fmt.Sprintf("Index %q would serve, but is not built yet: REINDEX INDEX %s.", x.Name, expr.QuoteIdent(x.Name))
		}
	}
	joined := joinedBy(st.plan, t)
	all := proposals(scan, joined)
	points, intervals := access.Searchable(scan)
	searched := len(points) + len(intervals) + len(joined)
	for _, one := range alternatives(scan) {
		points, intervals := access.Searchable(one)
		all, searched = append(all, proposals(one, nil)...), searched+len(points)+len(intervals)
	}
	faulty := ""
	for _, ddl := range all {
		switch with := s.withProposal(t, ddl); {
		case with == nil || !serves(with):
		case twin(with) != nil:
			return fmt.Sprintf("Index %q would serve, but a hint of the statement leaves it out.", twin(with).Name)
		case !s.isAdvisedAgainst(with):
			return "An index would serve: " + ddl + "."
		case faulty == "":
			faulty = ddl
		}
	}
	if faulty != "" {
		return "An index would serve: " + faulty + "."
	}
	switch {
	case searched > 0:
		return "No index was found that would let it read less."
	case len(scan.Filter) > 0:
		return "No index would serve: no condition compares a column of the table with a value."
	}
	return "No index would serve: there is no condition on the table."
}

// foreignRemedy names the index of a foreign table that would serve if it held all that is wanted,
// and the conditions that say so. One that has all columns goes first; of which the partition key is
// not bound, none is named.
func foreignRemedy(t *catalog.Table, serves func(*catalog.Table) bool) string {
	list := slices.Clone(t.Indexes)
	slices.SortStableFunc(list, func(a, b catalog.Index) int {
		return cmp.Compare(noughtIf(a.Covers),
			noughtIf(b.Covers))
	})
	for _, x := range list {
		if x.Where == nil {
			continue
		}
		lacks := slices.DeleteFunc(slices.Clone(x.Where.NotNull),
			func(id uint32) bool { return t.Columns[t.Ordinal(id)].Declared })
		if len(lacks) == 0 || !serves(declared(t, lacks)) {
			continue
		}
		for _, id := range slices.Clone(lacks) { // a condition may demand some of them anyway
			rest := slices.DeleteFunc(slices.Clone(lacks), func(other uint32) bool { return other == id })
			if serves(declared(t, rest)) {
				lacks = rest
			}
		}
		if slices.Contains(lacks, x.Layout.Sources()[0]) {
			continue
		}
		var names []string
		for _, id := range lacks {
			names = append(names, expr.QuoteIdent(t.Columns[t.Ordinal(id)].Name))
		}
		return fmt.Sprintf("Index %q would serve, but has only the items with %s. Add %s IS NOT NULL to the conditions if others are not wanted; "+
			"ALTER FOREIGN TABLE %s ALTER %s SET NOT NULL says that there are no others.",
			x.Name, strings.Join(names, " and "), strings.Join(names, " IS NOT NULL AND "), expr.QuoteIdent(t.Name),
			strings.Join(names, " SET NOT NULL, ALTER "))
	}
	return "Conditions on its key, or on that of one of its indexes, would serve: EXPLAIN (WHY) tells which there are."
}

func noughtIf(yes bool) int {
	if yes {
		return 0
	}
	return 1
}

// declared is a foreign table of which some columns are declared NOT NULL.
func declared(t *catalog.Table, columns []uint32) *catalog.Table {
	for _, id := range columns {
		t = t.WithColumn(t.Ordinal(id), func(c *catalog.Column) { c.Declared = true })
	}
	return t
}

// alternatives are scans for what each side of an OR asks: indexes are merged, so one may be all
// that lacks.
func alternatives(scan plan.Scan) []plan.Scan {
	var out []plan.Scan
	for _, cond := range scan.Filter {
		or, ok := cond.(expr.Logic)
		if !ok || !or.Or {
			continue
		}
		for _, arg := range or.Args {
			one := scan
			one.Filter = expr.Conjuncts(arg)
			out = append(out, one)
		}
	}
	return out
}

// proposals are indexes that may serve a scan, the best first. joined are columns by which it
// is joined.
func proposals(scan plan.Scan, joined []uint32) []string {
	points, intervals := access.Searchable(scan)
	var out []string
	propose := func(columns []uint32) {
		if len(columns) > 0 {
			out = append(out, advice.Propose(scan.Table, catalog.BTree, columns, nil))
			// Where partitions have no order an interval is read within each of some shards.
			out = append(out, advice.Propose(scan.Table, catalog.BTree, columns, map[string]string{"shards": shardsOfProposal}))
		}
	}
	for _, id := range joined {
		if !slices.Contains(points, id) {
			points = append(points, id)
		}
	}
	if len(points) == 0 && len(intervals) > 1 {
		out = append(out, advice.Propose(scan.Table, catalog.ZOrder, intervals, nil))
	}
	columns := points
	if i := slices.IndexFunc(intervals, func(id uint32) bool { return !slices.Contains(points, id) }); i >= 0 {
		columns = append(slices.Clip(points), intervals[i])
	}
	propose(columns)
	if scan.Few { // the first rows in an order
		for _, o := range scan.Order {
			if id := scan.Table.Columns[o.Column].ID; !slices.Contains(points, id) {
				points = append(points, id)
			}
		}
		propose(points)
	}
	return out
}

// joinedBy are the columns of a table that is read as a whole, by ID, by which joins of a plan
// find partners in it.
func joinedBy(n plan.Node, t *catalog.Table) []uint32 {
	if j, ok := n.(plan.Join); ok && j.Method != nil {
		for _, side := range []struct {
			node plan.Node
			key  func(plan.JoinKey) expr.Expr
		}{
			{j.Left, func(k plan.JoinKey) expr.Expr { return k.Left }},
			{j.Right, func(k plan.JoinKey) expr.Expr { return k.Right }},
		} {
			scan, ok := side.node.(plan.Scan)
			if !ok || scan.Table.ID != t.ID || !readsAll(scan) {
				continue
			}
			var out []uint32
			for _, k := range j.Method.Keys {
				if c, ok := side.key(k).(expr.Column); ok {
					out = append(out, t.Columns[scan.Reads[c.Index]].ID)
				}
			}
			return out
		}
	}
	below := n.Inputs()
	for _, sub := range plan.Subqueries(n) {
		below = append(slices.Clip(below), sub.Plan.(plan.Sub).Node)
	}
	for _, in := range below {
		if out := joinedBy(in, t); out != nil {
			return out
		}
	}
	return nil
}

// twin is the index of a table that is what the last one is, nil if there is none.
func twin(t *catalog.Table) *catalog.Index {
	last := len(t.Indexes) - 1
	proposed := &t.Indexes[last]
	i := slices.IndexFunc(t.Indexes[:last], func(x catalog.Index) bool {
		return !x.Partial() && x.Method == proposed.Method &&
			slices.Equal(x.Layout.Declared(), proposed.Layout.Declared()) &&
			planner.SameKeyOptions(x.Options, proposed.Options)
	})
	if i < 0 {
		return nil
	}
	return &t.Indexes[i]
}

// isAdvisedAgainst says whether the last index of a table would get advice once it is made.
func (s *Session) isAdvisedAgainst(t *catalog.Table) bool {
	known, err := s.withDeclared(t, advice.Known{Stats: t.Stats})
	return err == nil && len(advice.On(t, &t.Indexes[len(t.Indexes)-1], known)) > 0
}

// withProposal is a table with an index that does not exist; nil when it cannot be made.
func (s *Session) withProposal(t *catalog.Table, ddl string) *catalog.Table {
	parsed, err := parser.Parse(ddl)
	if err != nil {
		return nil
	}
	unused := func() (uint64, error) { return 0, nil }
	x, err := s.planner(s.schema()).CreateIndex(parsed[0].Statement.(*ast.CreateIndex), t, unused)
	if err != nil {
		return nil
	}
	return t.WithIndex(*x)
}
