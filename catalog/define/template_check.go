package define

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/sqlerr"
)

// check wants a template that keys can be made by. Which columns it may be over, and how
// they are called together, the key says.
func (r *template) check(text catalog.Part, key []uint32, what string) error {
	if !slices.ContainsFunc(text.Pieces, func(p catalog.Part) bool { return p.Kind != part.Literal }) {
		return r.bad("it holds no column, so that all rows would be in one partition")
	}
	for _, p := range text.Pieces {
		if p.Kind == part.Shard {
			continue // of the key as it is
		}
		for _, id := range p.Columns() {
			c := r.table.Columns[r.table.Ordinal(id)]
			if !slices.Contains(key, id) && !c.Hidden {
				return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q named in %s is not in %s", c.Name, templateOption, what).At(int(r.pos))
			}
		}
	}
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
func (r *template) unambiguous(text catalog.Part) error {
	last, afterText := -1, false
	for i, p := range text.Pieces {
		before, behind, ok := p.Varies(r.table)
		if !ok {
			continue
		}
		if last >= 0 {
			if err := r.apart(text.Pieces, last, i); err != nil {
				return err
			}
		}
		if before != "" && afterText {
			if prior := text.Pieces[i-1]; prior.Kind != part.Literal || strings.ContainsAny(prior.Text[len(prior.Text)-1:], before) {
				return r.bad("%s must stand behind literal text that does not end with one of \"%s\", since a text before it varies in length, too", r.table.TemplateText(p), before)
			}
		}
		afterText = afterText || behind == ""
		last = i
	}
	return nil
}

// apart wants to see where one of two pieces that vary in length ends.
func (r *template) apart(pieces []catalog.Part, first, second int) error {
	name, literal := r.table.TemplateText(pieces[first]), pieces[first+1]
	_, behind, _ := pieces[first].Varies(r.table)
	switch {
	case literal.Kind != part.Literal:
		return r.bad("%s and %s both vary in length, so there must be literal text behind %s", name, r.table.TemplateText(pieces[second]), name)
	case strings.ContainsAny(literal.Text[:1], behind):
		return r.bad("the text behind %s must not begin with %q, since that could be part of the value", name, literal.Text[:1])
	}
	return nil
}

// shardsFit wants as many digits as the numbers of the shards have.
func (r *template) shardsFit(text catalog.Part) error {
	if r.shard == nil {
		return nil
	}
	digits, found := len(strconv.Itoa(r.shard.Count)), false
	for _, p := range text.Pieces {
		isShard := p.Kind == r.shard.Kind && p.Count == r.shard.Count
		if found = found || isShard; isShard && p.Width > 0 && p.Width < digits {
			return r.bad("the numbers of %d shards have up to %d digits", r.shard.Count, digits)
		}
	}
	if !found {
		return r.bad("there are %d shards, but it has no {shard}", r.shard.Count)
	}
	return nil
}

// determines says whether a column can be read back from the text of a template.
func (r *template) determines(text catalog.Part, column uint32) bool {
	return slices.ContainsFunc(text.Pieces, func(p catalog.Part) bool { return p.Column == column && p.Keeps(r.table) })
}
