package session

import (
	"encoding/binary"
	"slices"

	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/settings"
	"zproxy/types"
)

// statementCache finds the plans of statements that the client sends as text. Those of the simple protocol are kept by
// their shapes: texts that differ in the values of literals have one, in which parameters stand for these. Those of the
// extended protocol are kept by their texts and the types of their parameters. All sessions of the process share them.
// A run from the cache does what the statement itself would do. Whatever goes wrong before it begins, the statement is
// parsed and planned as it was sent, so that its errors are its own.
type statementCache struct {
	shared *keptStatements
	own    *keptStatements // those of plans from what no other session has; the session alone uses them
	in     *keptStatements // where the statement was looked for last
	counts *cacheCounts

	// key is that of the statement which was looked for last, empty for one that is never kept.
	key   []byte
	shape parser.Shape // of its text, in the simple protocol

	asker  asker
	prefix []byte // of the keys of the asker
}

// asker is on whom plans depend.
type asker struct {
	settings      uint64 // their version
	role, session uint32
}

// findShape is what is known of the statements that differ from a text in literals alone; nil: nothing.
func (s planning) findShape(text string) *kept {
	c := &s.cache
	c.key = c.key[:0]
	if s.settings.StatementCache == settings.CacheOff || len(text) > maxCachedText || !c.shape.Read(text) {
		return nil
	}
	c.begin(s)
	c.key = append(append(c.key, 's'), c.shape.Key...)
	return c.find(s)
}

// findText is what is known of a text with parameters of some types; nil: nothing.
func (s planning) findText(text string, params []types.OID) *kept {
	c := &s.cache
	c.key = c.key[:0]
	if s.settings.StatementCache == settings.CacheOff || len(text) > maxCachedText {
		return nil
	}
	c.begin(s)
	c.key = append(append(append(c.key, 't'), text...), 0)
	for _, oid := range params {
		c.key = binary.BigEndian.AppendUint32(c.key, uint32(oid))
	}
	return c.find(s)
}

// begin begins the key with all that plans depend on besides the text, but for the basis.
func (c *statementCache) begin(s planning) {
	if now := (asker{s.settings.Version(), s.user.Role(), s.settings.Who.Session}); c.prefix == nil || now != c.asker {
		c.asker = now
		c.prefix = binary.BigEndian.AppendUint32(c.prefix[:0], s.db.Database())
		c.prefix = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(c.prefix, now.role), now.session)
		c.prefix = append(append(c.prefix, s.user.Name...), 0) // which may be what "$user" stands for
		c.prefix = append(s.settings.AppendPlanned(c.prefix), 0)
	}
	c.key = append(c.key, c.prefix...)
}

// find is what is known of the key. A session that has temporary relations, or has changed the catalog without a
// commit, has plans of its own.
func (c *statementCache) find(s planning) *kept {
	c.in = c.shared
	if s.txn.Temporary != "" || s.txn.Schema() != s.db.Snapshot() {
		c.in = c.own
	}
	known := c.in.find(c.key, s.basis())
	if known != nil && known.statement != nil {
		c.counts.hits.Add(1)
	} else {
		c.counts.misses.Add(1)
	}
	return known
}

// basis is what a statement would be planned from now.
func (s planning) basis() basis { return basis{s.txn.Schema(), s.db.Database(), s.mode()} }

// wants says whether the statement that was looked for, in vain, is worth keeping: it was met before.
func (s planning) wants() bool {
	c := &s.cache
	return len(c.key) > 0 && (s.settings.StatementCache == settings.CacheAlways || c.in.meet(c.key))
}

// keep keeps a statement for the key that was looked for last; nil: none can be kept. From now on it does not change.
func (s planning) keep(st *Statement) {
	from := s.basis()
	if st != nil && st.plan != nil {
		from.schema, from.mode = st.schema, st.mode
	}
	if s.cache.in == s.cache.shared && from.schema != s.db.Snapshot() {
		return
	}
	if st != nil {
		st.subject.Identify()
	}
	s.cache.in.add(s.cache.key, st, from)
}

// holds says whether the plan of a statement of the cache is still true when the statement begins.
func (s planning) holds(st *Statement) bool {
	if st.part == nil {
		return true
	}
	s.txn.Queries()
	return st.schema == s.txn.Schema() && st.mode == s.mode()
}

// keepText keeps a statement for its text, which was looked for last, if that can be.
func (s planning) keepText(st *Statement) {
	if !lasting(st) || parser.Frozen(st.text) {
		s.keep(nil)
		return
	}
	one := *st
	s.keep(&one)
}

// fromShape is the statement of the text that was looked for last, with the values of its literals; nil: it is to be
// planned as it was sent.
func (s runner) fromShape(q *query, text string) (*Statement, []types.Value) {
	st := q.cached
	if st == nil && s.planning.wants() {
		st = s.shaped(q.tree)
		s.planning.keep(st)
	}
	if st == nil || !s.planning.holds(st) {
		return nil, nil
	}
	values, err := s.literals(st)
	run := *st
	if err != nil || s.admission.allow(&run) != nil {
		return nil, nil
	}
	run.text, run.subject = text, st.subject.Like(s.cache.shape.Source)
	return &run, values
}

// literals are the values of the literals of the text that was looked for last.
func (s runner) literals(st *Statement) ([]types.Value, error) {
	if len(s.cache.shape.Literals) == 0 {
		return nil, nil
	}
	values := make([]types.Value, len(st.Params))
	for i, l := range s.cache.shape.Literals {
		var err error
		if values[i], err = types.ParseText(l.Text, st.Params[i].Under(), s.Env()); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// shaped is the statement of the shape of the text that was looked for last, whose tree is given; nil: none can be
// kept.
func (s runner) shaped(sent ast.Statement) *Statement {
	text := s.cache.shape.Text()
	list, err := s.reach.parse(text)
	if err != nil || parser.Frozen(text) || !s.cache.shape.Fits(sent, list[0].Statement) {
		return nil
	}
	var params []types.OID
	for _, l := range s.cache.shape.Literals {
		params = append(params, literalTypes[l.Kind])
	}
	st, err := s.planning.prepare(&list[0], text, params)
	if err != nil {
		return nil
	}
	if st.lifted = true; !lasting(st) {
		return nil
	}
	st.subject = st.subject.Like(s.cache.shape.Source)
	_ = s.admission.allow(st) // so that runs need not ask again; those that may not are told so
	return st
}

// literalTypes are the types of literals as the grammar takes them.
var literalTypes = map[parser.LiftedKind]types.OID{
	parser.LiftedString: types.OIDUnknown, parser.LiftedInt4: types.OIDInt4, parser.LiftedInt8: types.OIDInt8,
	parser.LiftedNumeric: types.OIDNumeric,
}

// lasting says whether a statement may be kept: what was planned is the same for all texts of its shape. Then it reads
// one table at most, by paths that do not depend on what a constant proves, and nothing is said of the text itself.
func lasting(st *Statement) bool {
	switch st.tree.(type) {
	case *ast.Select, *ast.Insert, *ast.Update, *ast.Delete:
	case *ast.Transaction:
		return len(st.warnings) == 0
	default:
		return false
	}
	if !st.lifted {
		return true
	}
	scans := plan.Scans(st.plan)
	return len(scans) <= 1 && len(st.warnings) == 0 && len(st.clauses) == 0 &&
		!slices.ContainsFunc(scans, func(scan plan.Scan) bool { return len(scan.Holds) > 0 })
}
