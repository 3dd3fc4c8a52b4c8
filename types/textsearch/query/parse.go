package query

import (
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/textsearch/vector"
)

// Operand makes a query of an operand: of a lexeme as it is written, or of a text that is split into words.
type Operand func(word string, weights uint8, prefix bool) (*Node, error)

// parser reads a query: its operators by their precedence, and the operands by the scanner of vectors.
type parser struct {
	vector.Scanner
	operand Operand
	opened  int
	// first says that no operand was read: the text may be empty.
	first bool
}

// Parse reads the text of a tsquery.
func Parse(text string) ([]byte, error) {
	n, err := Read(text, func(word string, weights uint8, prefix bool) (*Node, error) {
		return CheckedWord(text, word, weights, prefix)
	})
	if err != nil {
		return nil, err
	}
	return Encode(n), nil
}

// CheckedWord is the query of a lexeme of a text, unless that is too long.
func CheckedWord(text, lexeme string, weights uint8, prefix bool) (*Node, error) {
	if len(lexeme) > vector.MaxLexeme {
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "word is too long in tsquery: \"%s\"", text)
	}
	return NewWord(lexeme, weights, prefix), nil
}

// Read reads a query as to_tsquery has it. nil: there is none in the text.
func Read(text string, operand Operand) (*Node, error) {
	p := &parser{
		Scanner: vector.Scanner{Text: text, Kind: "tsquery", Whole: text, Query: true}, operand: operand, first: true,
	}
	n, err := p.list()
	if err != nil {
		return nil, err
	}
	return n, n.check()
}

func (p *parser) failure() error {
	return sqlerr.New(sqlerr.SyntaxError, "syntax error in tsquery: \"%s\"", p.Whole)
}

// list reads operands and operators up to the end of the text or the end of the parentheses.
func (p *parser) list() (*Node, error) {
	var b builder
	for {
		operand, err := p.next(&b)
		if err != nil {
			return nil, err
		}
		if operand == nil {
			return nil, nil // of an empty text
		}
		b.push(operand)
		op, distance, err := p.operator()
		switch {
		case err != nil:
			return nil, err
		case op == Word:
			return b.all(), nil
		}
		if err := b.operator(op, distance); err != nil {
			return nil, err
		}
	}
}

// next reads an operand with the negations before it, which go to the builder.
func (p *parser) next(b *builder) (*Node, error) {
	for {
		p.Space()
		if p.At == len(p.Text) {
			if p.first {
				return nil, nil
			}
			return nil, sqlerr.New(sqlerr.SyntaxError, "no operand in tsquery: \"%s\"", p.Whole)
		}
		first := p.first
		p.first = false
		switch p.Text[p.At] {
		case '!':
			p.At++
			if err := b.operator(Not, 0); err != nil {
				return nil, err
			}
		case '(':
			p.At++
			p.opened++
			if err := form.CheckNesting(p.opened); err != nil {
				return nil, err
			}
			return p.list()
		case ':':
			return nil, p.failure()
		default:
			word, ok, err := p.Word()
			if err != nil || !ok {
				p.first = first
				return nil, err
			}
			weights, prefix := p.modifiers()
			return p.operand(word, weights, prefix)
		}
	}
}

// modifiers reads the weights behind a colon, and a star for a prefix.
func (p *parser) modifiers() (weights uint8, prefix bool) {
	if p.At == len(p.Text) || p.Text[p.At] != ':' {
		return 0, false
	}
	for p.At++; p.At < len(p.Text); p.At++ {
		switch c := p.Text[p.At]; {
		case c == '*':
			prefix = true
		case 'a' <= c|0x20 && c|0x20 <= 'd':
			weights |= 8 >> (c | 0x20 - 'a')
		default:
			return weights, prefix
		}
	}
	return weights, prefix
}

// operator reads what stands behind an operand; Word: the list ends.
func (p *parser) operator() (op Op, distance int, err error) {
	p.Space()
	if p.At == len(p.Text) {
		if p.opened > 0 {
			return 0, 0, p.failure()
		}
		return Word, 0, nil
	}
	switch p.Text[p.At] {
	case '&':
		op = And
	case '|':
		op = Or
	case ')':
		if p.opened--; p.opened < 0 {
			return 0, 0, p.failure()
		}
		op = Word
	default:
		return p.phrase()
	}
	p.At++
	return op, 0, nil
}

// phrase reads <-> or <n>. Behind it there must be something.
func (p *parser) phrase() (op Op, distance int, err error) {
	s := p.Text[p.At:]
	if s[0] != '<' {
		return 0, 0, p.failure()
	}
	s = s[1:]
	distance = 1
	if digits := form.LeadingDigits(s); digits != "" {
		if distance, err = strconv.Atoi(digits); err != nil || distance > vector.MaxPosition+1 {
			return 0, 0, errDistance()
		}
		s = s[len(digits):]
	} else if len(s) > 0 && s[0] == '-' {
		s = s[1:]
	} else {
		return 0, 0, p.failure()
	}
	if len(s) < 2 || s[0] != '>' {
		return 0, 0, p.failure()
	}
	p.At = len(p.Text) - len(s) + 1
	return Phrase, distance, nil
}
