package part

import (
	"strconv"
	"strings"
)

// Check wants a template that was read to tell rows apart, and to have as many digits as its shards.
func (r *Template) Check(text Part) error {
	if err := r.unambiguous(text); err != nil {
		return err
	}
	return r.shardsFit(text)
}

// unambiguous wants a template from whose text the columns in it can be read back: equal
// texts would be one key for different rows.
//
// What varies in length ends where the literal text behind it begins; only the last such
// piece may end where everything has a length of its own. A number goes on as long as there
// are digits, so the text behind it must not begin with one. Behind a column of text it is
// found from the end, so the text before it must not end with one. Values that hold some of
// the literal text behind them are refused when they come.
func (r *Template) unambiguous(text Part) error {
	last, afterText := -1, false
	for i, p := range text.Pieces {
		before, behind, ok := p.Varies(r.Table)
		if !ok {
			continue
		}
		if last >= 0 {
			if err := r.delimited(text.Pieces, last, i); err != nil {
				return err
			}
		}
		if before != "" && afterText {
			prior := text.Pieces[i-1]
			if prior.Kind != Literal || strings.ContainsAny(prior.Text[len(prior.Text)-1:], before) {
				return r.bad("%s must stand behind literal text that does not end with one of \"%s\", "+
					"since a text before it varies in length, too", p.Template(r.Table), before)
			}
		}
		afterText = afterText || behind == ""
		last = i
	}
	return nil
}

// delimited wants to see where one of two pieces that vary in length ends.
func (r *Template) delimited(pieces []Part, first, second int) error {
	name, literal := pieces[first].Template(r.Table), pieces[first+1]
	_, behind, _ := pieces[first].Varies(r.Table)
	switch {
	case literal.Kind != Literal:
		return r.bad("%s and %s both vary in length, so there must be literal text behind %s",
			name, pieces[second].Template(r.Table), name)
	case strings.ContainsAny(literal.Text[:1], behind):
		return r.bad("the text behind %s must not begin with %q, since that could be part of the value",
			name, literal.Text[:1])
	}
	return nil
}

// shardsFit wants as many digits as the numbers of the shards have.
func (r *Template) shardsFit(text Part) error {
	if r.Shard == nil {
		return nil
	}
	digits, found := len(strconv.Itoa(r.Shard.Count)), false
	for _, p := range text.Pieces {
		if found = found || p.Sharded(); p.Sharded() && p.Width > 0 && p.Width < digits {
			return r.bad("the numbers of %d shards have up to %d digits", r.Shard.Count, digits)
		}
	}
	if !found {
		return r.bad("there are %d shards, but it has no {shard}", r.Shard.Count)
	}
	return nil
}
