package session

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync/atomic"

	"zproxy/catalog"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/settings"
	"zproxy/types"
)

// statementCache keeps the plans of statements that the client sends as text again and again. Those of the simple
// protocol are kept by their shapes: texts that differ in the values of literals have one, in which parameters stand
// for these. Those of the extended protocol are kept by their texts and the types of their parameters. A run from the
// cache does what the statement itself would do. Whatever goes wrong before it begins, the statement is parsed and
// planned as it was sent, so that its errors are its own.
type statementCache struct {
	of    map[string]*cached
	bytes *atomic.Int64 // that all sessions keep
	clock uint64        // counts uses
	seed  maphash.Seed
	met   []uint64 // hashes of the last keys that were looked for and are not kept
	last  int      // of met that was written, when there are as many as may be

	// key is that of the statement which was looked for last, empty for one that is never kept.
	key   []byte
	shape parser.Shape // of its text, in the simple protocol
}

// cached is what the cache knows of a key.
type cached struct {
	statement *Statement // nil: it cannot be kept
	basis
	bytes int64
	used  uint64
}

// basis is what a statement is planned from.
type basis struct {
	settings uint64            // their version
	schema   *catalog.Snapshot // of a statement that is kept, nil: the statement knows its own
}

// basis is what a statement would be planned from now.
func (p *parts) basis() basis { return basis{p.settings.Version(), p.txn.Schema()} }

const (
	maxCached      = 256 // statements of a session
	maxMet         = 512
	maxCachedBytes = 64 << 20 // of all sessions
	maxCachedText  = 8 << 10  // bytes of a text
	// cachedBytes are those of a tree and a plan: 3,100 were measured of statements with a few columns and conditions.
	cachedBytes = 4 << 10
	unkeptBytes = 200 // of what is known of a statement that cannot be kept
)

// findShape is what is known of the statements that differ from a text in literals alone; nil: nothing.
func (c *statementCache) findShape(text string, mode settings.StatementCache, now basis) *cached {
	c.key = c.key[:0]
	if mode == settings.CacheOff || len(text) > maxCachedText || !c.shape.Read(text) {
		return nil
	}
	c.key = c.shape.Key
	return c.find(now)
}

// findText is what is known of a text with parameters of some types; nil: nothing.
func (c *statementCache) findText(text string, params []types.OID, mode settings.StatementCache,
	now basis) *cached {
	c.key = c.key[:0]
	if mode == settings.CacheOff || len(text) > maxCachedText {
		return nil
	}
	c.key = append(append(c.key, text...), 0, 0) // where the key of a shape has one zero byte
	for _, oid := range params {
		c.key = binary.BigEndian.AppendUint32(c.key, uint32(oid))
	}
	return c.find(now)
}

// find is what is known of the key. Plans are made again when the schema has changed; what could not be kept may be
// another statement then.
func (c *statementCache) find(now basis) *cached {
	known := c.of[string(c.key)]
	switch {
	case known == nil:
		return nil
	case known.settings != now.settings, known.statement == nil && known.schema != now.schema:
		c.drop(string(c.key))
		return nil
	}
	c.clock++
	known.used = c.clock
	return known
}

// wants says whether the statement that was looked for, in vain, is worth keeping: it was met before.
func (c *statementCache) wants(mode settings.StatementCache) bool {
	if len(c.key) == 0 {
		return false
	}
	hash := maphash.Bytes(c.seed, c.key)
	switch {
	case mode == settings.CacheAlways || slices.Contains(c.met, hash):
		return true
	case len(c.met) < maxMet:
		c.met = append(c.met, hash)
	default:
		c.last = (c.last + 1) % maxMet
		c.met[c.last] = hash
	}
	return false
}

// add keeps a statement for the key, if there is room; nil: none can be kept. What was not used for the longest time
// makes room.
func (c *statementCache) add(st *Statement, from basis) {
	c.dropOutdated(from.schema)
	key := string(c.key)
	e := &cached{statement: st, basis: from, bytes: int64(len(key)) + unkeptBytes}
	if st != nil {
		e.schema = nil
		e.bytes += cachedBytes
	}
	for len(c.of) >= maxCached || c.bytes.Load()+e.bytes > maxCachedBytes {
		if len(c.of) == 0 {
			return
		}
		c.drop(c.oldest())
	}
	c.bytes.Add(e.bytes)
	if c.of == nil {
		c.of = map[string]*cached{}
	}
	c.clock++
	e.used = c.clock
	c.of[key] = e
}

// dropOutdated forgets what is known by another catalog than the newest, so that no old one is held for it.
func (c *statementCache) dropOutdated(newest *catalog.Snapshot) {
	for key, e := range c.of {
		schema := e.schema
		if e.statement != nil {
			schema = e.statement.schema
		}
		if schema != nil && schema != newest {
			c.drop(key)
		}
	}
}

// oldest is the key of what was not used for the longest time.
func (c *statementCache) oldest() (key string) {
	for other, e := range c.of {
		if key == "" || e.used < c.of[key].used {
			key = other
		}
	}
	return key
}

// drop forgets what is known of a key.
func (c *statementCache) drop(key string) {
	if e, ok := c.of[key]; ok {
		c.bytes.Add(-e.bytes)
		delete(c.of, key)
	}
}

// clear forgets all of it.
func (c *statementCache) clear() {
	for key := range c.of {
		c.drop(key)
	}
}

// stillPlanned says whether the plan of a statement of the cache is true of the catalog, perhaps after it was planned
// again.
func (s planning) stillPlanned(st *Statement) bool {
	if st.part != nil {
		s.txn.Queries()
	}
	before := st.schema
	if s.current(st) == nil && (st.schema == before || lasting(st)) {
		return true
	}
	s.cache.drop(string(s.cache.key))
	return false
}

// keepText keeps a statement for its text, which was looked for last, if that can be.
func (s planning) keepText(st *Statement) {
	if !lasting(st) || parser.Frozen(st.text) {
		s.cache.add(nil, s.basis())
		return
	}
	kept := *st
	s.cache.add(&kept, s.basis())
}

// fromShape is the statement of the text that was looked for last, with the values of its literals; nil: it is to be
// planned as it was sent.
func (s runner) fromShape(q *query, text string) (*Statement, []types.Value) {
	st := q.cached
	if st == nil && s.cache.wants(s.settings.StatementCache) {
		st = s.shaped(q.tree)
		s.cache.add(st, s.basis())
	}
	if st == nil || !s.planning.stillPlanned(st) {
		return nil, nil
	}
	values, err := s.literals(st)
	if err != nil || s.admission.allow(st) != nil {
		return nil, nil
	}
	run := *st
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
