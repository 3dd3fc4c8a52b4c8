package parser

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/planner/joinhint"
	"zproxy/sqlerr"
)

// indexHint is a hint and the SELECT, INSERT, UPDATE or DELETE that it belongs to: where its
// first word starts, -1 when there is none.
type indexHint struct {
	ast.Hint
	owner int32
	taken bool
}

// hints are those of one statement. The grammar keeps no position of a SELECT, but the
// converter comes to them in the order of the text.
type hints struct {
	all     []indexHint
	selects []int32 // where each SELECT begins that the converter has yet to come to
	changes []int32 // where INSERT, UPDATE and DELETE stand
	notices []ast.Notice
	// allowFiltering is _l_allow_filtering_, which is about the whole statement.
	allowFiltering bool
	err            error // of a hint that must not be ignored
}

func ownsHints(k pg.Token) bool {
	return k == pg.Token_SELECT || k == pg.Token_INSERT || k == pg.Token_UPDATE || k == pg.Token_DELETE_P
}

// ofSelect are the hints of the next SELECT.
func (h *hints) ofSelect() []ast.Hint {
	if len(h.selects) == 0 {
		return nil
	}
	owner := h.selects[0]
	h.selects = h.selects[1:]
	return h.take(owner, nil)
}

// ofInsert are the hints of the INSERT into a table, of which it has only those about timestamps.
func (h *hints) ofInsert(table *pg.RangeVar) []ast.Hint { return h.before(table, (*ast.Hint).Timed) }

// ofChange are the hints of the UPDATE or DELETE of a table: the last before its name.
func (h *hints) ofChange(table *pg.RangeVar) []ast.Hint { return h.before(table, nil) }

// before are the hints of the statement that writes a table, those that are wanted.
func (h *hints) before(table *pg.RangeVar, wanted func(*ast.Hint) bool) []ast.Hint {
	i := sort.Search(len(h.changes), func(i int) bool { return h.changes[i] >= table.GetLocation() })
	if i == 0 {
		return nil
	}
	return h.take(h.changes[i-1], wanted)
}

func (h *hints) take(owner int32, wanted func(*ast.Hint) bool) []ast.Hint {
	var out []ast.Hint
	for i := range h.all {
		ours := h.all[i].owner == owner || h.all[i].Join != nil && h.all[i].owner < 0
		if ours && (wanted == nil || wanted(&h.all[i].Hint)) {
			h.all[i].taken = true
			out = append(out, h.all[i].Hint)
		}
	}
	return out
}

// misplaced is the error about a hint that has no place and must not be ignored.
func (h *hints) misplaced() error {
	for _, hint := range h.all {
		if !hint.taken && hint.Timed() {
			return sqlerr.New(sqlerr.SyntaxError, "hint %s has no place here", hint.Name).At(int(hint.Pos)).
				WithHint("It stands behind the word INSERT, UPDATE, DELETE or SELECT.")
		}
	}
	return nil
}

// ignored are the notices about hints that had no effect.
func (h *hints) ignored() []ast.Notice {
	for _, hint := range h.all {
		if !hint.taken {
			h.notices = append(h.notices, ast.Notice{
				Message: fmt.Sprintf("hint %s has no place here and was ignored", hint.Name), Pos: hint.Pos})
		}
	}
	return h.notices
}

// hintTokens is the token stream of a text that has hints. Most texts have none and are
// not scanned.
func hintTokens(src source) []*pg.ScanToken {
	if len(src.lifted.indexHints) == 0 && !strings.Contains(src.grammar, "/*+") {
		return nil
	}
	list, err := scan(src.grammar, src.watch)
	if err != nil {
		return nil
	}
	return list
}

// findHints reads the hints of one statement, whose tokens these are.
func findHints(src source, list []*pg.ScanToken) *hints {
	h := &hints{all: src.lifted.indexHints, allowFiltering: src.lifted.allowFiltering}
	owner, label := int32(-1), false // label: a name may follow that is also a keyword
	for _, t := range list {
		switch t.Token {
		case pg.Token_C_COMMENT:
			h.comment(src, t, owner)
		case pg.Token_SQL_COMMENT:
		default:
			owner = h.begin(t, label)
			label = t.Token == pg.Token_ASCII_46 || t.Token == pg.Token_AS && len(h.selects) > 0
		}
	}
	return h
}

// cutAt cuts a token stream at a place of the text.
func cutAt(list []*pg.ScanToken, end int32) (head, tail []*pg.ScanToken) {
	n := sort.Search(len(list), func(i int) bool { return list[i].Start >= end })
	return list[:n], list[n:]
}

// begin notes that a SELECT, INSERT, UPDATE or DELETE begins at a token, and says where, or -1.
func (h *hints) begin(t *pg.ScanToken, label bool) int32 {
	if label || !ownsHints(t.Token) {
		return -1
	}
	if t.Token == pg.Token_SELECT {
		h.selects = append(h.selects, t.Start)
	} else {
		h.changes = append(h.changes, t.Start)
	}
	return t.Start
}

// comment reads the hints of one comment: name(...), as many as there are.
func (h *hints) comment(src source, t *pg.ScanToken, owner int32) {
	text, ok := strings.CutPrefix(src.grammar[t.Start:t.End], "/*+")
	if !ok {
		return
	}
	written := strings.TrimSuffix(text, "*/")
	text = requote(written, src.watch)
	base := ast.Pos(src.base + int(t.Start) + len("/*+"))
	toks, ok := tokenize(text, src.watch)
	if !ok {
		h.unknown(text, base)
		return
	}
	depth := toks.depths()
	for i, end := 0, 0; i < len(toks.list); i = end {
		end = i + 1
		for end < len(toks.list) && (depth[end] > 0 || toks.kind(end) == pg.Token_ASCII_40 ||
			toks.kind(end) == pg.Token_ASCII_41) {
			end++
		}
		if toks.kind(i) == pg.Token_ASCII_44 {
			continue // commas between hints are allowed
		}
		one := written[toks.list[i].Start:toks.list[end-1].End]
		at := base + ast.Pos(toks.list[i].Start)
		words := tokens{text: text, list: toks.list[i:end]}
		if h.ofStatement(words, at, owner) {
			continue
		}
		if hint, err := readHint(words); err == nil {
			hint.Pos = at
			h.all = append(h.all, indexHint{Hint: hint, owner: owner})
		} else if errors.Is(err, errNoHint) && changesAnswers(hint.Name) {
			h.err = sqlerr.New(sqlerr.FeatureNotSupported, "hint %s is not supported", one).At(int(at)).
				WithHint("A hint that might change what a statement does is not ignored. Leave it out.")
		} else {
			h.useless(one, err, at)
		}
	}
}

// changesAnswers says whether a hint, which is not known, may be about more than speed: Lindorm has hints
// of versions, of times and of which storage is read. A hint of that name with arguments that it does not
// take, or one of how long a statement may take, changes no answer.
func changesAnswers(name string) bool {
	if !strings.HasPrefix(name, "_l_") {
		return false
	}
	return !slices.Contains([]string{"_l_force_index_", "_l_ignore_index_", "_l_allow_filtering_",
		"_l_operation_timeout_"}, name)
}

// ofStatement reads a hint that is about the whole statement, wherever it stands, or about timestamps, which must not
// be ignored.
func (h *hints) ofStatement(toks tokens, at ast.Pos, owner int32) bool {
	bare := len(toks.list) == 1 || len(toks.list) == 3 && toks.is(1, pg.Token_ASCII_40, pg.Token_ASCII_41)
	switch toks.word(0) {
	case "_l_allow_filtering_":
		h.allowFiltering = h.allowFiltering || bare
		return bare
	}
	if hint := (ast.Hint{Name: toks.word(0), Pos: at}); hint.Timed() {
		var err *sqlerr.Error
		if hint.Number, err = timeArgument(toks, hint.Name); err != nil && h.err == nil {
			h.err = err.At(int(at))
		}
		h.all = append(h.all, indexHint{Hint: hint, owner: owner})
		return true
	}
	return false
}

// mostMilli is beyond what timestamps of cells can be.
const mostMilli = 1<<51 - 2

// timeArgument reads the number of a hint about timestamps.
func timeArgument(toks tokens, name string) (int64, *sqlerr.Error) {
	bad := sqlerr.New(sqlerr.SyntaxError, "hint %s takes one number that is not negative", name)
	if len(toks.list) != 4 || !toks.is(1, pg.Token_ASCII_40) || !toks.is(3, pg.Token_ASCII_41) {
		return 0, bad
	}
	n, err := strconv.ParseInt(toks.text[toks.list[2].Start:toks.list[2].End], 10, 64)
	if err != nil || n > mostMilli {
		return 0, bad
	}
	return n, nil
}

func (h *hints) unknown(text string, pos ast.Pos) { h.useless(text, errNoHint, pos) }

func (h *hints) useless(text string, why error, pos ast.Pos) {
	h.notices = append(h.notices, ast.Notice{Message: fmt.Sprintf("hint %s %v and was ignored", strings.TrimSpace(text),
		why), Pos: pos})
}

// readHint reads one hint: a name and, but for Lindorm's, first the table that it is about. A name in
// quotes of any kind is as it stands.
func readHint(toks tokens) (ast.Hint, error) {
	known := true
	out := ast.Hint{Name: toks.word(0)}
	if join, ok := joinhint.Parse(out.Name, toks.within()); ok {
		join.Text, out.Join = toks.text[toks.list[0].Start:toks.list[len(toks.list)-1].End], &join
		return out, nil
	}
	names, ok := toks.listed()
	table := 1
	switch out.Name {
	case "_l_force_index_", "_l_ignore_index_":
		out.Name, table = strings.Trim(out.Name, "_")[len("l_"):], 0
	case "index":
		out.Name = "use_index"
	case "no_index":
		out.Name = "ignore_index"
	case "no_index_merge":
		return out, unless(ok && len(names) == 0, errNoHint)
	case "use_index", "ignore_index", "force_index", "use_index_merge":
	default:
		known = false
	}
	switch {
	case !known || !ok || len(names) < table:
		return out, errNoHint
	case len(names) == table && out.Name != "use_index_merge":
		return out, errNoIndex
	case table == 1:
		out.Table = names[0]
	}
	out.Indexes = names[table:]
	return out, nil
}

// What can be wrong with a hint.
var (
	errNoHint  = errors.New("is not known")
	errNoIndex = errors.New("names no index")
)

func unless(fine bool, err error) error {
	if fine {
		return nil
	}
	return err
}

// listed are the names between the parentheses behind the first token. Commas between them may be
// missing behind the first, which is a table.
func (t tokens) listed() (names []string, ok bool) {
	end := len(t.list) - 1
	if end < 2 || !t.is(1, pg.Token_ASCII_40) || !t.is(end, pg.Token_ASCII_41) {
		return nil, false
	}
	for i := 2; i < end; i++ {
		switch comma := t.kind(i) == pg.Token_ASCII_44; {
		case comma && i > 2 && t.kind(i-1) != pg.Token_ASCII_44 && i+1 < end:
		case comma:
			return nil, false
		default:
			name := t.named(i)
			if name == "" || i > 3 && t.kind(i-1) != pg.Token_ASCII_44 {
				return nil, false
			}
			names = append(names, name)
		}
	}
	return names, true
}

// named is the i-th token as a name, which may be a word that is reserved, such as primary; "" if it is none.
func (t tokens) named(i int) string {
	switch {
	case t.kind(i) == pg.Token_SCONST:
		return strings.Trim(t.written(i), "'")
	case t.list[i].KeywordKind != pg.KeywordKind_NO_KEYWORD:
		return t.word(i)
	}
	return t.name(i)
}

// within are the names and parentheses between the parentheses behind the first token, without commas; nil if something
// else is there.
func (t tokens) within() (words []string) {
	end := len(t.list) - 1
	if end < 2 || !t.is(1, pg.Token_ASCII_40) || !t.is(end, pg.Token_ASCII_41) {
		return nil
	}
	for i := 2; i < end; i++ {
		switch word := t.named(i); {
		case t.is(i, pg.Token_ASCII_40) || t.is(i, pg.Token_ASCII_41):
			words = append(words, t.written(i))
		case word != "":
			words = append(words, word)
		case !t.is(i, pg.Token_ASCII_44):
			return nil
		}
	}
	return words
}
