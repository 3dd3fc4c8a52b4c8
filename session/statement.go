package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/cluster/lock"
	"zproxy/expr"
	"zproxy/metrics"
	"zproxy/optimizer"
	"zproxy/optimizer/cost"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/session/observe"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Statement is a prepared statement.
type Statement struct {
	Params  []types.T
	Columns []plan.Column // nil: it delivers no rows
	source
	planned

	routineStatement
	noParams bool            // it takes no values of parameters
	lifted   bool            // its parameters are literals of its text
	made     time.Time       // zero: it has no name
	bytes    int64           // that the session is charged for keeping it
	sql      bool            // by PREPARE
	planning time.Duration   // what making its plan took, the last time
	runs     uint            // that might have been judged by their estimates
	learned  uint64          // versions of what was learned of its tables when it was planned, in sum
	warnings []*sqlerr.Error // the client gets them with each run
}

// source is the text that a client sent, and what the parser made of it.
type source struct {
	text    string // what was sent, which positions refer to
	subject observe.Subject
	tree    ast.Statement
	part    ast.Statement // the part that has a plan; nil: none has
	notices []ast.Notice
	clauses []ast.Clause

	allowFiltering bool // it may filter rows that it reads
	own
}

// own is of a statement of the program's own.
type own struct {
	given []planner.Given // rows that it is given
	as    uint32          // the role that it runs as; 0: the present one
}

// planned is the plan of a statement, and what it was made from. It is made again when that has changed.
type planned struct {
	plan     plan.Node              // nil for what is not planned
	chooser  *optimizer.PlanChooser // nil: the plan waits for no values
	schema   *catalog.Snapshot      // that the plan was made from
	format   types.Env              // by which its plan casts constants and writes them
	literals *types.Env             // with which its constants are read, also when it is planned again
	path     []string               // along which its names were found
	role     uint32                 // whose rights to use schemas counted
	needs    []*bind.Need
	allowed  allowance
	missed   []ast.Hint // that concern no table
	concerned
	tables   []transaction.TableLock // that it locks
	readsAll []plan.Scan             // that read whole tables
	mode     mode                    // in which it was planned
	rules    []*expr.Rules           // that the parameters must meet; nil: none has any
}

// concerned is what a statement, or one that names its cursor, changes or keeps from change.
type concerned struct {
	locked     []*catalog.Table // by FOR UPDATE
	written    []*catalog.Table
	identities []plan.Identity // of the rows of a cursor
}

// newStatement is a statement of a text that is not planned yet.
func newStatement(parsed *ast.Parsed, text string) *Statement {
	return &Statement{source: source{
		tree: parsed.Statement, part: plannedPart(parsed.Statement), text: text,
		subject: observe.SubjectOf(parsed, text),
		notices: parsed.Notices, clauses: parsed.Clauses, allowFiltering: parsed.AllowFiltering,
	}}
}

// plannedPart is the part of a statement that a plan is made of, nil for none. That of a COPY is planned when it
// runs, and an EXECUTE has the plan of another statement.
func plannedPart(tree ast.Statement) ast.Statement {
	switch tree := tree.(type) {
	case *ast.Select, *ast.Insert, *ast.Update, *ast.Delete, *ast.Merge, *ast.Refresh, *ast.CallProcedure:
		return tree
	case *ast.DeclareCursor:
		return tree.Query
	case *ast.CreateTableAs:
		if query, ok := tree.Query.(*ast.Select); ok {
			return query
		}
	case *ast.Explain:
		shown := shownBy(tree.Statement)
		if _, ok := shown.(*ast.ExecutePrepared); !ok {
			return shown
		}
	}
	return nil
}

// planning plans the statements of a session, and again when what a plan was made from has changed.
type planning struct {
	*parts
	reach *reach
}

// prepare makes and plans a statement with parameters. Those that the client declared have these types.
func (s planning) prepare(parsed *ast.Parsed, text string, params []types.OID) (*Statement, error) {
	st := newStatement(parsed, text)
	for _, oid := range params {
		if !hasType(s.txn.Schema(), oid) {
			return nil, sqlerr.Unsupported("a parameter of the type with OID %d", oid)
		}
		st.Params = append(st.Params, types.Of(oid))
	}
	if _, ok := st.tree.(*ast.Copy); !ok {
		for len(st.Params) < parsed.Params {
			st.Params = append(st.Params, types.Unknown)
		}
	}
	return st, s.plan(st)
}

// plan makes the plan of a statement, if it has one, and learns the types of its parameters and the columns of its
// rows.
func (s planning) plan(st *Statement) error {
	began := time.Now()
	defer func() { st.planning = time.Since(began) }()
	known := len(s.reach.settings.PendingNotices)
	if st.part != nil {
		s.txn.Queries()
		if err := s.planLocked(st); err != nil {
			return err
		}
	}
	if tree, ok := st.tree.(*ast.DeclareCursor); ok {
		if err := checkCursor(tree, st.plan); err != nil {
			return err
		}
	}
	st.Columns = resultColumns(st)
	st.collectWarnings()
	st.takeNotices(&s.reach.settings.PendingNotices, known)
	return nil
}

// takeNotices makes the notices behind the known ones, which came of constants, part of what the client gets with each
// run.
func (st *Statement) takeNotices(from *[]*sqlerr.Error, known int) {
	for _, n := range (*from)[known:] {
		if n.Position > 0 {
			n = n.At(characters(st.text, n.Position-1))
		}
		st.warnings = append(st.warnings, n)
	}
	*from = (*from)[:known]
}

// planLocked plans a statement with a catalog in which its tables, which it locks, do not change any more.
func (s planning) planLocked(st *Statement) error {
	ctx := s.bounds.Context()
	for {
		since := s.db.Snapshot() // a renewal may bring a newer one at any time
		err := s.planOnce(st)
		if s.mayBeNew(err) {
			if news, failed := s.db.Refresh(ctx, since); news && failed == nil {
				err = s.planOnce(st)
			}
		}
		if err == nil {
			err = s.txn.LockTables(ctx, st.tables, lock.Block)
		}
		if err != nil || st.schema == s.txn.Schema() {
			return err
		}
	}
}

// mayBeNew says whether an error is about what another process may have made a moment ago.
func (s planning) mayBeNew(err error) bool {
	return err != nil && s.db.Shared() && s.txn.Txn() == nil && slices.Contains(notThere, sqlerr.From(err).Code)
}

// notThere are the codes of errors about what is not there.
var notThere = []sqlerr.Code{sqlerr.UndefinedTable, sqlerr.UndefinedColumn, sqlerr.UndefinedObject,
	sqlerr.InvalidSchemaName}

// resultColumns are the columns of the rows that a statement delivers, nil for none.
func resultColumns(st *Statement) []plan.Column {
	switch tree := st.tree.(type) {
	case *ast.DeclareCursor, *ast.CreateTableAs, *ast.Refresh:
		return nil
	case *ast.Explain:
		return explainColumns(tree)
	}
	if st.part == nil {
		return utilityColumns(st.tree)
	}
	columns := st.plan.Columns()
	columns = columns[:len(columns)-st.hidden()]
	switch st.tree.(type) {
	case *ast.CallProcedure:
		return outputsOf(st)
	case *ast.Select:
		if columns == nil {
			return []plan.Column{}
		}
	}
	return columns
}

// shownBy is the statement whose plan EXPLAIN shows.
func shownBy(tree ast.Statement) ast.Statement {
	switch tree := tree.(type) {
	case *ast.CreateTableAs:
		return tree.Query
	case *ast.DeclareCursor:
		return tree.Query
	}
	return tree
}

// planOnce makes the plan of a statement with the catalog of the transaction.
func (s planning) planOnce(st *Statement) error {
	st.schema, st.path, st.role = s.txn.Schema(), s.settings.Path, s.user.Role()
	st.format, st.mode = s.settings.Env.Format(), s.mode()
	n, p, err := s.optimized(st.schema, st)
	if err != nil {
		return err
	}
	st.plan, st.Params, st.needs, st.missed = n, p.Params, p.Needs, p.Missed
	if st.rules, err = paramRules(p); err != nil {
		return err
	}
	scans := plan.Scans(n)
	st.locked, st.written, st.readsAll = plan.Locked(n), plan.Targets(n), cost.FullScans(scans)
	st.tables = slices.Concat(tableLocks(lock.RowExclusive, st.written), tableLocks(lock.RowShare, st.locked),
		scanLocks(scans))
	st.volatile = callsVolatile(n) || plan.FiresInstead(n)
	st.chooser, st.learned = optimizer.NewPlanChooser(n, s.optimizerOptions(st, n)), st.lessons()
	return nil
}

// lessons is another number whenever more was learned of how wrong estimates of its tables are.
func (st *Statement) lessons() uint64 {
	sum := uint64(0)
	for i := range st.tables {
		sum += st.tables[i].Table.Stats.Learned.Version()
	}
	return sum
}

// writes says whether a query writes or locks rows, which needs a transaction that may write.
func (st *Statement) writes() bool { return st.written != nil || st.locked != nil }

// onlyReads says whether a query does nothing else, in its functions either.
func (st *Statement) onlyReads() bool { return !st.writes() && !st.volatile }

// tableLocks are the locks of tables in a mode.
func tableLocks(m lock.Mode, tables []*catalog.Table) (out []transaction.TableLock) {
	for _, t := range tables {
		out = append(out, transaction.TableLock{Table: t, Mode: m})
	}
	return out
}

// scanLocks are the locks of tables that are read.
func scanLocks(scans []plan.Scan) []transaction.TableLock {
	var tables []*catalog.Table
	for i := range scans {
		if !slices.ContainsFunc(tables, func(t *catalog.Table) bool { return t.ID == scans[i].Table.ID }) {
			tables = append(tables, scans[i].Table)
		}
	}
	return tableLocks(lock.AccessShare, tables)
}

// optimized is the plan of a statement under some catalog. That of a COPY stays as it is: the
// data is read and checked also where no row of it could be wanted.
func (s planning) optimized(snap *catalog.Snapshot, st *Statement) (plan.Node, *planner.Planner, error) {
	p := s.reach.planner(snap)
	st.within(p)
	p.Params, p.NoParams = append([]types.T(nil), st.Params...), st.noParams
	p.Literals, p.Given = st.literalsIn(p.Env), st.given
	p.Inlining = s.reach.inlining(snap)
	if st.as != 0 {
		p.Role = st.as
	}
	if st.given == nil {
		p.Bound, p.Whole = p.Role, st.mode.whole
	}
	n, err := s.planPart(p, st)
	if err != nil {
		return nil, nil, err
	}
	if _, copies := st.part.(*ast.Copy); !copies {
		n, err = optimizer.Optimize(n, s.optimizerOptions(st, n))
	}
	return n, p, err
}

// planPart makes the plan of the part of a statement that has one.
func (s planning) planPart(p *planner.Planner, st *Statement) (n plan.Node, err error) {
	query, reads := st.part.(*ast.Select)
	declared, declares := st.tree.(*ast.DeclareCursor)
	if reads && (st.cursor || declares && !declared.Resumable) {
		n, st.identities, err = p.Cursor(query)
		return n, err
	}
	return p.Plan(st.part)
}

// optimizerOptions are those for a plan. One that writes or locks rows reads no index that may lack the last commits.
func (s planning) optimizerOptions(st *Statement, n plan.Node) *optimizer.Options {
	o := s.reach.optimizerOptions()
	fills := fillsTable(st.tree)
	o.Store.Sparing, o.Store.Repriced = st.mode.sparing, o.Store.Repriced || st.mode.limited
	o.Seconds = explainsWhy(st.tree)
	o.Store.Latest = st.mode.latest || fills || len(plan.Targets(n))+len(plan.Locked(n)) > 0
	return o
}

// current makes sure that the plan of a statement is still true of the catalog, and plans it again if not. Its columns
// cannot change any more.
func (s planning) current(st *Statement) error {
	if st.plan == nil || st.schema == s.txn.Schema() && slices.Equal(st.path, s.settings.Path) &&
		st.role == s.user.Role() && st.format == s.settings.Env.Format() && st.mode == s.mode() &&
		st.learned == st.lessons() {
		return nil
	}
	before := st.Columns
	if err := s.plan(st); err != nil {
		return err
	}
	same := len(before) == len(st.Columns)
	for i := 0; same && i < len(before); i++ {
		same = before[i].Type.Same(st.Columns[i].Type) && before[i].Name == st.Columns[i].Name
	}
	if !same {
		st.Columns, st.schema = before, nil // the next run finds the same
		return resultTypeChanged()
	}
	return nil
}

// Revalidate makes sure that the columns of a statement are still those that it has.
func (s *Session) Revalidate(st *Statement) error {
	return locate(s.db.explain(s.bounds.Context(), s.planning.current(st)), st.text)
}

// Prepare keeps a statement under a name; the unnamed one is replaced.
func (s *Session) Prepare(ctx context.Context, name, text string, params []types.OID) (err error) {
	_, stop := s.bounds.Watch(ctx, s.settings.Sooner(s.settings.StatementTimeout))
	defer stop()
	defer func() {
		if err != nil {
			err = s.db.explain(s.bounds.Context(), err)
			s.ends(nil, Outcome{}, err)
		}
		err = locate(err, text)
	}()
	s.running.StartNew(observe.Subject{Kind: metrics.Unparsed}, s.db.now())
	if text, err = s.reach.conform(text); err != nil {
		return err
	}
	st, err := s.prepared(text, params)
	if err != nil {
		return err
	}
	return s.statements.add(name, st)
}

// prepared is the statement of a text with its plan, from the cache if it is there.
func (s *Session) prepared(text string, params []types.OID) (*Statement, error) {
	known := s.planning.findText(text, params)
	if known != nil && known.statement != nil {
		st := known.statement
		if err := s.startParsed(st.tree, st.subject); err != nil {
			return nil, err
		}
		if s.planning.holds(st) {
			st := *st
			return &st, s.txn.LockTables(s.bounds.Context(), st.tables, lock.Block)
		}
	}
	list, err := s.reach.parse(text)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return &Statement{source: source{text: text}}, nil
	case len(list) > 1:
		return nil, sqlerr.New(sqlerr.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	if err := s.startParsed(list[0].Statement, observe.SubjectOf(&list[0], text)); err != nil {
		return nil, err
	}
	st, err := s.planning.prepare(&list[0], text, params)
	if err == nil && known == nil && s.planning.wants() {
		s.planning.keepText(st)
	}
	return st, err
}

// startParsed begins to prepare a statement.
func (s *Session) startParsed(tree ast.Statement, subject observe.Subject) error {
	if !transaction.Exits(tree) {
		s.txn.NextStatement()
		if err := s.txn.RefuseFailed(); err != nil {
			return err
		}
	}
	s.running.Own = subject
	return nil
}

// Statement finds a prepared statement.
func (s *Session) Statement(name string) (*Statement, error) { return s.named.statement(name) }

// CloseStatement forgets a prepared statement.
func (s *Session) CloseStatement(name string) { s.statements.close(name) }

// notify sends what the parser and the choice of access paths want the client to know.
func (st *Statement) notify(c Client) error {
	for _, w := range st.warnings {
		if err := c.Notice(w); err != nil {
			return fmt.Errorf("notice: %w", err)
		}
	}
	return nil
}

// notify sends what the client should know before a portal runs.
func (s runner) notify(ctx context.Context, p *Portal, c Client) error {
	if err := p.statement.notify(c); err != nil {
		return err
	}
	return s.admission.noticeFullScans(ctx, p, c)
}

// collectWarnings finds what notify sends.
func (st *Statement) collectWarnings() {
	st.warnings = nil
	for _, n := range st.notices {
		w := sqlerr.Notice(cmp.Or(sqlerr.Code(n.Code), sqlerr.Warning), "%s", n.Message)
		if n.Warning {
			w.Severity = "WARNING"
		}
		if n.Pos >= 0 {
			w = w.At(characters(st.text, int(n.Pos)))
		}
		st.warnings = append(st.warnings, w)
	}
	for _, h := range st.missed {
		w := sqlerr.Notice(sqlerr.Warning, "hint ignored: the query has no table \"%s\"",
			h.Table).At(characters(st.text, int(h.Pos)))
		st.warnings = append(st.warnings, w)
	}
	if st.plan != nil {
		st.warnings = scanWarnings(st.warnings, st.plan)
		for _, hint := range optimizer.UnmetHints(st.plan) {
			st.warnings = append(st.warnings, sqlerr.Notice(sqlerr.Warning,
				"hint ignored: no plan was found that follows %s", hint))
		}
	}
}

func scanWarnings(list []*sqlerr.Error, n plan.Node) []*sqlerr.Error {
	if scan, ok := n.(plan.Scan); ok && scan.Access != nil {
		for _, text := range scan.Access.Notices {
			list = append(list, sqlerr.Notice(sqlerr.Warning, "%s", text))
		}
	}
	for _, in := range n.Inputs() {
		list = scanWarnings(list, in)
	}
	return list
}
