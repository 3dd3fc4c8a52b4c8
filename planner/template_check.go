package planner

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/types"
)

// check wants a template that keys can be made by. Which columns it may be over, and how
// they are called together, the key says.
func (r *template) check(text catalog.Part, key []uint32, what string) error {
	if !slices.ContainsFunc(text.Pieces, func(p catalog.Part) bool { return p.Kind != catalog.LiteralPart }) {
		return r.bad("it holds no column, so that all rows would be in one partition")
	}
	for _, p := range text.Pieces {
		if p.Kind == catalog.ShardPart {
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
// are digits, so the text behind it must not begin with one. That a text holds none of the
// literal behind it only its values tell, and they are refused where they do.
func (r *template) unambiguous(text catalog.Part) error {
	last := -1
	for i, p := range text.Pieces {
		if !r.varies(p) {
			continue
		}
		if last >= 0 {
			first, behind := text.Pieces[last], text.Pieces[last+1]
			name, other := r.table.TemplateText(first), r.table.TemplateText(p)
			switch {
			case behind.Kind != catalog.LiteralPart:
				return r.bad("%s and %s both vary in length, so there must be literal text behind %s", name, other, name)
			case strings.ContainsAny(behind.Text[:1], r.goesOn(first)):
				return r.bad("the text behind %s must not begin with %q, since that could be part of the value", name, behind.Text[:1])
			}
		}
		last = i
	}
	return nil
}

// varies says whether a piece may be of more than one length. The two texts of a bool may
// be, but neither begins or ends with the other.
func (r *template) varies(p catalog.Part) bool {
	switch {
	case p.Kind == catalog.ShardPart || p.Kind == catalog.ColumnPart && p.Count > 0:
		return p.Width == 0 && p.Count >= 10
	case p.Kind != catalog.ColumnPart || p.Width > 0:
		return false
	}
	switch r.typeOf(p).OID {
	case types.OIDUUID, types.OIDBool:
		return false
	}
	return true
}

// goesOn is what the text behind a piece may not begin with, because the piece could go on
// with it: digits of a number, and the era of a date.
func (r *template) goesOn(p catalog.Part) string {
	const digits = "0123456789"
	if p.Kind == catalog.ShardPart || p.Count > 0 {
		return digits
	}
	switch r.typeOf(p).Kind() {
	case types.KindInt:
		return digits
	case types.KindDate:
		return digits + " "
	}
	return ""
}

// typeOf is the type of the column of a piece.
func (r *template) typeOf(p catalog.Part) types.T {
	return r.table.Columns[r.table.Ordinal(p.Column)].Type
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
	return slices.ContainsFunc(text.Pieces, func(p catalog.Part) bool {
		if p.Column != column || p.Count > 0 {
			return false
		}
		if p.Kind != catalog.BucketPart {
			return p.Kind == catalog.ColumnPart
		}
		pattern, err := catalog.ParsePattern(p.Format)
		return err == nil && pattern.Determines() && r.typeOf(p).OID == types.OIDDate
	})
}
