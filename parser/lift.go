package parser

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// lifted is what was taken out of a statement because PostgreSQL's grammar has no words
// for it.
type lifted struct {
	keyOrder     []ast.KeyPart // of PRIMARY KEY (...) in the column list
	primary      primary       // PRIMARY KEY (...) after the column list
	keyMethod    string        // of PRIMARY KEY USING zorder (...), wherever it stands
	options      []ast.Option  // INTERLEAVE IN [PARENT]
	nullFiltered bool
	timing       ast.Timing
	method       string           // USING m before ON t
	inserts      map[int32]string // replace and upsert, by where the table of each stands
	onTable      *ast.Name        // ON t behind the name of an index
	on           ast.Pos          // of that ON
	setOptions   []ast.Option     // SET a = b, ... of ALTER TABLE without parentheses
	indexHints   []indexHint
	// allowFiltering is Lindorm's ALLOW FILTERING.
	allowFiltering bool
	cursor         resumable // of DECLARE
	enforced       map[*pg.Constraint]enforcement
}

// lifter takes forms out of one statement. Each is overwritten by as many bytes that
// PostgreSQL reads, so that every position stays true.
type lifter struct {
	tokens
	depth   []int
	src     source
	grammar []byte
	changed bool
}

// lift takes out all that is known, and says whether there was anything.
func lift(src source) (source, bool) {
	quoted := requote(src.grammar, src.watch)
	toks, ok := tokenize(quoted, src.watch)
	if !ok {
		return src, false
	}
	l := &lifter{tokens: toks, depth: toks.depths(), src: src, grammar: []byte(quoted), changed: quoted != src.grammar}
	switch {
	case l.createsTable():
		l.primaryKeys()
		l.interleavedTable()
		l.quotedOptions()
	case l.is(0, pg.Token_ALTER, pg.Token_TABLE):
		l.primaryKeys()
		l.quotedOptions()
		l.bareOptions()
	case l.kind(0) == pg.Token_CREATE:
		l.index()
		l.interleavedIndex()
		l.quotedOptions()
	case l.namesIndex():
		l.onTable()
		l.quotedOptions()
	case l.kind(l.explained()) == pg.Token_DECLARE:
		l.resumable()
		l.indexHints()
		l.allowFiltering()
	default:
		l.inserts()
		l.indexHints()
		l.allowFiltering()
	}
	l.src.grammar = string(l.grammar)
	return l.src, l.changed
}

// createsTable says whether the statement is CREATE TABLE, of whichever persistence.
func (l *lifter) createsTable() bool {
	i := 1
	for slices.Contains(persistences, l.kind(i)) {
		i++
	}
	return l.kind(0) == pg.Token_CREATE && l.kind(i) == pg.Token_TABLE
}

// persistences are the words that may stand in CREATE TABLE.
var persistences = []pg.Token{pg.Token_LOCAL, pg.Token_GLOBAL, pg.Token_TEMP, pg.Token_TEMPORARY, pg.Token_UNLOGGED}

// inserts lifts what REPLACE INTO and UPSERT INTO are more than INSERT INTO, also where they are
// explained or prepared, or stand in or behind a WITH.
func (l *lifter) inserts() {
	for i := range l.list {
		word := l.word(i)
		if word != "replace" && word != "upsert" || l.kind(i+1) != pg.Token_INTO {
			continue
		}
		switch l.kind(i - 1) {
		case pg.Token_NUL, pg.Token_EXPLAIN, pg.Token_ANALYZE, pg.Token_VERBOSE, pg.Token_AS, pg.Token_ASCII_40,
			pg.Token_ASCII_41:
		default:
			continue
		}
		if i+2 == len(l.list) {
			return
		}
		l.overwrite(i, "INSERT")
		if l.src.lifted.inserts == nil {
			l.src.lifted.inserts = map[int32]string{}
		}
		l.src.lifted.inserts[l.list[i+2].Start] = word
	}
}

// namesIndex says whether the statement begins with DROP, ALTER or REINDEX INDEX.
func (l *lifter) namesIndex() bool {
	i := 1
	if l.kind(0) == pg.Token_REINDEX && l.kind(1) == pg.Token_ASCII_40 {
		for i < len(l.list) && (l.depth[i] > 0 || l.kind(i) != pg.Token_INDEX) {
			i++
		}
	}
	switch l.kind(0) {
	case pg.Token_DROP, pg.Token_ALTER, pg.Token_REINDEX:
		return l.kind(i) == pg.Token_INDEX
	}
	return false
}

// onTable lifts ON t, which stands behind the name of an index.
func (l *lifter) onTable() {
	for i := range l.list {
		if l.kind(i) != pg.Token_ON || l.depth[i] > 0 {
			continue
		}
		r := indexReader{tokens: l.tokens, base: l.src.base, next: i + 1}
		if table := r.name(); !r.bad {
			l.src.lifted.onTable, l.src.lifted.on = &table, ast.Pos(l.src.base+int(l.list[i].Start))
			l.blank(i, r.next)
		}
		return
	}
}

// requote turns backquotes into double quotes. PostgreSQL scans a backquote as part of an
// operator, so those in strings and comments stay.
func requote(text string, w *watch) string {
	list, err := scan(text, w)
	if err != nil || !strings.Contains(text, "`") {
		return text
	}
	out := []byte(text)
	for _, t := range list {
		for i := t.Start; i < t.End && t.Token == pg.Token_Op; i++ {
			if out[i] == '`' {
				out[i] = '"'
			}
		}
	}
	return string(out)
}

// overwrite replaces the i-th token by a text that is not longer.
func (l *lifter) overwrite(i int, text string) {
	start, end := l.list[i].Start, l.list[i].End
	copy(l.grammar[start:end], text+strings.Repeat(" ", int(end-start)-len(text)))
	l.changed = true
}

// blank replaces the tokens from the i-th to before the end-th by blanks.
func (l *lifter) blank(i, end int) {
	for ; i < end; i++ {
		l.overwrite(i, "")
	}
}

// pos is where the i-th token is in what was sent.
func (l *lifter) pos(i int) ast.Pos { return ast.Pos(l.src.base + int(l.list[i].Start)) }

// primaryKeys lifts PRIMARY KEY [USING zorder] (a, b DESC): whole when it follows the column list of a
// new table, only its order when it stands in it or in ALTER TABLE.
func (l *lifter) primaryKeys() {
	for i := range l.list {
		if !l.is(i, pg.Token_PRIMARY, pg.Token_KEY) {
			continue
		}
		from := i + 2
		if l.is(from, pg.Token_USING) && l.kind(from+1) != pg.Token_INDEX && l.name(from+1) != "" {
			from += 2
		}
		if l.kind(from) != pg.Token_ASCII_40 {
			continue
		}
		parts, end := l.keyParts(from + 1)
		if parts != nil && from > i+2 {
			l.src.lifted.keyMethod = l.name(from - 1)
			l.blank(i+2, from)
		}
		switch {
		case parts == nil:
		case l.depth[i] == 0 && l.kind(0) == pg.Token_CREATE:
			l.src.lifted.primary = primary{parts: parts, pos: l.pos(i)}
			l.blank(i, end)
			if l.is(i-2, pg.Token_ASCII_44, pg.Token_ASCII_41) {
				l.blank(i-2, i-1) // Spanner takes a comma after the last column
			}
		default:
			l.src.lifted.keyOrder = parts
			l.blankOrder(from, end)
		}
	}
}

// blankOrder leaves of the parts of a key, in parentheses from the i-th token to before the end-th, the columns.
func (l *lifter) blankOrder(i, end int) {
	depth := l.depth[i] + 1
	for k := i + 1; k < end-1; k++ {
		comma := l.kind(k) == pg.Token_ASCII_44
		column := k == i+1 || l.kind(k-1) == pg.Token_ASCII_44
		if l.depth[k] != depth || !comma && !column {
			l.blank(k, k+1)
		}
	}
}

// keyParts reads a [ASC | DESC | class (name = value, ...)], ... ) from the i-th token on, and says where
// it ends. No parts means that something else stands there.
func (l *lifter) keyParts(i int) (parts []ast.KeyPart, end int) {
	for {
		part := ast.KeyPart{Column: l.name(i)}
		if part.Column == "" {
			return nil, i
		}
		part.Pos = l.pos(i)
		i++
		if k := l.kind(i); k == pg.Token_ASC || k == pg.Token_DESC {
			part.Desc = k == pg.Token_DESC
			i++
		} else if name := l.name(i); name != "" {
			part.OpClass = name
			if part.OpParams, i = l.opParams(i + 1); i < 0 {
				return nil, 0
			}
		}
		parts = append(parts, part)
		switch l.kind(i) {
		case pg.Token_ASCII_41:
			return parts, i + 1
		case pg.Token_ASCII_44:
			i++
		default:
			return nil, i
		}
	}
}

// opParams reads (name = value, ...) from the i-th token on, where it stands there, and says where it ends: -1 where
// something else stands in the parentheses.
func (l *lifter) opParams(i int) (out []ast.Option, end int) {
	if l.kind(i) != pg.Token_ASCII_40 {
		return nil, i
	}
	for i++; l.name(i) != "" && l.kind(i+1) == pg.Token_ASCII_61; i++ {
		value, ok := l.optionValue(i + 2)
		if !ok {
			break
		}
		out = append(out, ast.Option{Name: l.name(i), Value: value, Pos: l.pos(i)})
		if i += 3; l.kind(i) == pg.Token_ASCII_41 {
			return out, i + 1
		}
	}
	return nil, -1
}

// order gives the key of a constraint the order that was lifted from it.
func (l lifted) order(key []ast.KeyPart) []ast.KeyPart {
	if len(l.keyOrder) == len(key) {
		return l.keyOrder
	}
	return key
}

// index lifts NULL_FILTERED, ASYNC and SYNC out of CREATE INDEX, and moves USING from before ON.
func (l *lifter) index() {
	l.method()
	for i := range 3 {
		if l.word(i) == "null_filtered" && l.kind(i+1) == pg.Token_INDEX {
			l.src.lifted.nullFiltered = true
			l.blank(i, i+1)
		}
	}
	for i := range l.list {
		if timing := l.timing(i); timing != ast.DefaultTiming && l.depth[i] == 0 && l.endsIndexClause(i) {
			l.src.lifted.timing = timing
			l.blank(i, i+1)
			return
		}
	}
}

// method lifts USING m from before ON t, where Lindorm and MySQL have it.
func (l *lifter) method() {
	for i := range l.list {
		if l.kind(i) == pg.Token_ON {
			return
		}
		if l.kind(i) == pg.Token_USING && l.name(i+1) != "" && l.kind(i+2) == pg.Token_ON {
			l.src.lifted.method = l.name(i + 1)
			l.blank(i, i+2)
			return
		}
	}
}

// endsIndexClause says whether the i-th token stands where Lindorm has ASYNC and SYNC: behind
// the parentheses of a clause, or at the end of all.
func (l *lifter) endsIndexClause(i int) bool {
	switch l.kind(i + 1) {
	case pg.Token_NUL, pg.Token_ASCII_59:
		return true
	case pg.Token_WITH, pg.Token_WHERE, pg.Token_INCLUDE:
		return l.kind(i-1) == pg.Token_ASCII_41
	}
	return false
}

// allowFiltering lifts ALLOW FILTERING from the end of a statement that reads.
func (l *lifter) allowFiltering() {
	switch l.kind(0) {
	case pg.Token_SELECT, pg.Token_WITH, pg.Token_ASCII_40, pg.Token_INSERT, pg.Token_UPDATE, pg.Token_DELETE_P,
		pg.Token_EXPLAIN, pg.Token_PREPARE, pg.Token_DECLARE:
	default:
		if l.src.lifted.inserts == nil {
			return
		}
	}
	end := len(l.list)
	if l.kind(end-1) == pg.Token_ASCII_59 {
		end--
	}
	if l.word(end-2) == "allow" && l.word(end-1) == "filtering" {
		l.src.lifted.allowFiltering = true
		l.blank(end-2, end)
	}
}

// indexHints lifts MySQL's FORCE, USE and IGNORE INDEX (i, ...) after a table.
func (l *lifter) indexHints() {
	for i := range l.list {
		word, kind := l.word(i), l.kind(i+1)
		if word != "force" && word != "use" && word != "ignore" || kind != pg.Token_INDEX && kind != pg.Token_KEY {
			continue
		}
		parts, end := l.keyParts(i + 3)
		if l.kind(i+2) != pg.Token_ASCII_40 || end != i+3+2*len(parts) {
			continue // not (name, ...)
		}
		h := indexHint{Hint: ast.Hint{Name: word + "_index", Table: l.name(i - 1), Pos: l.pos(i)}, owner: l.owner(i)}
		for _, p := range parts {
			h.Indexes = append(h.Indexes, p.Column)
		}
		l.src.lifted.indexHints = append(l.src.lifted.indexHints, h)
		l.blank(i, end)
	}
}

// owner is where the SELECT, UPDATE or DELETE begins that the i-th token belongs to. A join
// may stand in parentheses of its own.
func (l *lifter) owner(i int) int32 {
	depth := l.depth[i]
	for k := i - 1; k >= 0; k-- {
		depth = min(depth, l.depth[k])
		if l.depth[k] == depth && ownsHints(l.kind(k)) {
			return l.list[k].Start
		}
	}
	return -1
}
