package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// follow lets the store keep an index, if that was asked for and the store can.
func (l Limits) follow(x *catalog.Index, t *catalog.Table, s *ast.CreateIndex, in *interleaving) error {
	if !strings.EqualFold(x.Options[storedOption], storedAsGSI) {
		return nil
	}
	what := ""
	switch {
	case x.Unique:
		what = "a unique index"
	case x.Partial():
		what = "a partial or null-filtered index"
	case in.parent != "":
		what = "an interleaved index"
	case t.Space.In != nil || t.Hosted > 0:
		what = "an index of an interleaved table"
	case t.TTL != nil:
		what = "an index of a table with a ttl"
	case celltime.Has(t):
		what = "an index of a table whose cells have timestamps"
	case x.Covers && (x.Method != catalog.ZOrder || len(s.Include) > 0 || x.Options[coveringOption] != ""):
		what = "an index with all columns" // those of DynamoDB hold none that are added later
	}
	if what != "" {
		at := s.Table.Pos // of an index that another one is made like
		for _, o := range s.Options {
			if strings.EqualFold(o.Name, storedOption) {
				at = o.Pos
			}
		}
		return sqlerr.Unsupported("%s = 'gsi' of %s", storedOption, what).At(int(at))
	}
	if l.Store.Follows {
		x.Follows, x.Loose, x.Covers = true, false, false
	}
	return nil
}

// follows says whether the store keeps an index of a table.
func follows(t *catalog.Table) bool {
	return slices.ContainsFunc(t.Indexes, func(x catalog.Index) bool { return x.Follows })
}
