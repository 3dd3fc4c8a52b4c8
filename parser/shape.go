package parser

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Shape is a statement in which parameters stand for literals, so that statements that differ in these alone have one
// plan. A literal stays where more depends on it than the values that the statement meets: the type or the name of a
// column, a plan, a position of ORDER BY, or an error of constants that are folded although no row is read. So only
// operands of comparisons, what is added to or subtracted from names, and rows of INSERT are lifted. That is decided by
// tokens; Fits then compares what the grammar makes of them.
type Shape struct {
	Key      []byte // the text and the kinds of the literals, by which shapes differ; it is valid until the next Read
	Literals []Lifted
	Source   string // the statement as it was sent, without what is around it

	length int // of the text
}

// Text is the text of the shape, with single blanks.
func (s *Shape) Text() string { return string(s.Key[:s.length]) }

// reading is what is known of a text while its shape is read.
type reading struct {
	tokens   []token
	literals []Lifted
	spans    []span // of the literals, in tokens
}

// readings keeps them from one text to the next.
var readings = sync.Pool{New: func() any { return &reading{} }}

// Lifted is a literal that became a parameter.
type Lifted struct {
	Kind LiftedKind
	Text string // of a number, with its sign; of a string, what it stands for
}

// LiftedKind is what the grammar takes a literal for.
type LiftedKind byte

// The kinds of literals that are lifted.
const (
	LiftedString  LiftedKind = 's'
	LiftedInt4    LiftedKind = 'i'
	LiftedInt8    LiftedKind = 'l'
	LiftedNumeric LiftedKind = 'n'
)

// token is a lexeme, with its text. An operator is one token.
type token struct {
	lexeme
	text     string
	operator bool
}

// span is the tokens of a literal: a sign and a number, or one.
type span struct{ first, last int }

// Read finds the shape of a text, and says whether it has one: it is a single statement without parameters and
// comments of its own.
func (s *Shape) Read(sql string) bool {
	r := readings.Get().(*reading)
	defer readings.Put(r)
	s.Key, s.Literals = s.Key[:0], s.Literals[:0]
	if !r.tokenize(sql) {
		return false
	}
	s.Source = sql[r.tokens[0].start:r.tokens[len(r.tokens)-1].end]
	r.lift()
	next := 0
	for i := 0; i < len(r.tokens); i++ {
		if r.tokens[i].blank && i > 0 {
			s.Key = append(s.Key, ' ')
		}
		if next < len(r.spans) && r.spans[next].first == i {
			i, next = r.spans[next].last, next+1
			s.Key = strconv.AppendInt(append(s.Key, '$'), int64(next), 10)
			continue
		}
		s.Key = append(s.Key, r.tokens[i].text...)
	}
	s.length = len(s.Key)
	s.Key = append(s.Key, 0)
	for _, l := range r.literals {
		s.Key = append(s.Key, byte(l.Kind))
	}
	s.Literals = append(s.Literals, r.literals...)
	r.forget()
	return true
}

// forget lets go of the text.
func (r *reading) forget() {
	clear(r.tokens)
	clear(r.literals)
}

// tokenize cuts a text into tokens.
func (r *reading) tokenize(sql string) bool {
	r.tokens, r.literals, r.spans = r.tokens[:0], r.literals[:0], r.spans[:0]
	end := 0
	for l := range lexemes(sql) {
		t := token{lexeme: l, text: sql[l.start:l.end]}
		if l.kind == lexParam || t.text == ";" || strings.Trim(sql[end:l.start], blanks) != "" {
			return false
		}
		end = l.end
		if t.operator = strings.Contains("+-*/<>=~!@#%^&|?:", t.text); t.operator && !t.blank && len(r.tokens) > 0 {
			if last := &r.tokens[len(r.tokens)-1]; last.operator {
				last.end, last.text = l.end, sql[last.start:l.end]
				continue
			}
		}
		r.tokens = append(r.tokens, t)
	}
	return len(r.tokens) > 0 && strings.Trim(sql[end:], blanks+";") == ""
}

// lift finds the literals of the tokens that become parameters.
func (r *reading) lift() {
	insert := r.word(0, "INSERT")
	depth, values := 0, false // values: the rows of an INSERT follow
	for i, t := range r.tokens {
		switch t.text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 && t.kind == lexWord {
			values = insert && r.word(i, "VALUES")
		}
		if t.kind == lexLiteral {
			r.liftAt(i, values && depth == 1)
		}
	}
}

// liftAt lifts the literal at a token if it may be lifted there; cell: the tokens around are those of a row of values.
func (r *reading) liftAt(i int, cell bool) {
	lifted, ok := plainLiteral(r.tokens[i].text)
	if !ok {
		return
	}
	first := i
	if lifted.Kind != LiftedString && r.signed(i, cell) {
		first--
		lifted.Text = "-" + lifted.Text
		lifted.Kind = numberKind(lifted.Text)
	}
	if r.follows(first, cell) && r.precedes(i, cell) {
		r.spans = append(r.spans, span{first, i})
		r.literals = append(r.literals, lifted)
	}
}

// signed says whether the token before a number is its sign.
func (r *reading) signed(i int, cell bool) bool {
	if r.at(i-1) != "-" {
		return false
	}
	before := r.at(i - 2)
	return compares(before) || before == "+" || before == "-" || cell && (before == "(" || before == ",")
}

// follows says whether a literal may be lifted behind what precedes it.
func (r *reading) follows(i int, cell bool) bool {
	switch before := r.at(i - 1); {
	case cell && (before == "(" || before == ","), r.word(i-1, "BETWEEN"):
		return true
	case r.word(i-1, "AND"):
		return i > 2 && r.word(i-3, "BETWEEN")
	case compares(before):
		return r.named(i-2) || r.at(i-2) == ")"
	case before == "+", before == "-":
		return r.named(i-2) && !r.oneOf(i-2, nameless) && r.at(i-3) != "::"
	}
	return false
}

// nameless are words before a sign that are no names of columns: constants, and what a signed number may follow.
var nameless = []string{"NULL", "TRUE", "FALSE", "END", "SELECT", "WHERE", "AND", "OR", "NOT", "BY", "WHEN", "THEN",
	"ELSE", "BETWEEN", "RETURNING", "LIMIT", "OFFSET", "HAVING", "ON", "IN", "DISTINCT", "CASE"}

// precedes says whether a literal may be lifted before what follows it.
func (r *reading) precedes(i int, cell bool) bool {
	if i+1 == len(r.tokens) {
		return true
	}
	if after := r.at(i + 1); after == ")" || after == "," {
		return true
	}
	return !cell && r.oneOf(i+1, followers)
}

// followers are words that begin something else behind an operand.
var followers = []string{"AND", "OR", "WHERE", "FROM", "RETURNING", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "GROUP",
	"HAVING", "WHEN", "THEN", "ELSE", "END"}

// Frozen says whether a text has a literal that may stand for the time at which it is planned.
func Frozen(sql string) bool {
	for l := range lexemes(sql) {
		if l.kind == lexLiteral && slices.ContainsFunc(moments, func(w string) bool {
			return strings.Contains(strings.ToLower(sql[l.start:l.end]), w)
		}) {
			return true
		}
	}
	return false
}

// moments are the words for times that depend on when they are read.
var moments = []string{"now", "today", "tomorrow", "yesterday"}

// at is the text of a token, empty for none.
func (r *reading) at(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.tokens[i].text
}

// word says whether a token is a word, in any case of letters.
func (r *reading) word(i int, upper string) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == lexWord && strings.EqualFold(r.tokens[i].text, upper)
}

// oneOf says whether a token is one of some words.
func (r *reading) oneOf(i int, upper []string) bool {
	return slices.ContainsFunc(upper, func(w string) bool { return r.word(i, w) })
}

// named says whether a token is a name.
func (r *reading) named(i int) bool {
	return i >= 0 && (r.tokens[i].kind == lexWord || strings.HasPrefix(r.tokens[i].text, `"`))
}

// compares says whether an operator is a comparison of the grammar's own.
func compares(operator string) bool {
	return slices.Contains([]string{"=", "<", ">", "<=", ">=", "<>", "!="}, operator)
}

// plainLiteral reads a literal of decimal digits, with one point at most, or of plain characters between quotes.
func plainLiteral(text string) (Lifted, bool) {
	if inner, ok := strings.CutPrefix(text, "'"); ok {
		inner, closed := strings.CutSuffix(inner, "'")
		inner = strings.ReplaceAll(inner, "''", "\x00")
		return Lifted{LiftedString, strings.ReplaceAll(inner, "\x00", "'")}, closed && !strings.ContainsAny(inner, `'\`)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	plain := strings.Trim(whole, digits) == "" && strings.Trim(fraction, digits) == ""
	return Lifted{numberKind(text), text}, plain
}

// numberKind is the kind of a number with its sign.
func numberKind(text string) LiftedKind {
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return LiftedNumeric
	case v == int64(int32(v)):
		return LiftedInt4
	}
	return LiftedInt8
}

const digits = "0123456789"
