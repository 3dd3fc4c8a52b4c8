package define

import (
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// layOut lays out the table by its key. Without any word on it the first column is the
// partition, and the others sort within it.
//
// A shard goes before the columns of PARTITION BY HASH. Without those it is the partition
// alone, so that ranges and the order of the key stay readable, one scan for each shard,
// where partitions have no order. With a curve the Z-address goes before the columns that sort.
func (t *NewTable) layOut(declared []catalog.Part, by []ast.KeyPart, curve []catalog.Dimension) error {
	l := catalog.Layout{Unique: true}
	o := &t.keys
	var shard *catalog.Part
	if o.shards > 0 {
		shard = &catalog.Part{Kind: part.Shard, Of: columnsOf(declared), Count: o.shards}
	}
	if o.random {
		id := t.hide(catalog.Column{Name: catalog.Shard, Type: types.Int2, Shards: o.shards})
		shard = &catalog.Part{Column: id, Count: o.shards}
	}
	var err error
	switch {
	case o.has(templateOption) && len(by) > 0:
		return o.bad(templateOption, "%s and PARTITION BY exclude each other", templateOption)
	case o.itemKeys == textKeys && len(by) > 0:
		return o.bad(itemKeysOption, "%s = 'text' and PARTITION BY exclude each other", itemKeysOption)
	case o.has(templateOption):
		err = t.byTemplate(&l, declared, shard)
	case o.itemKeys == textKeys && t.PrimaryKey != "":
		o.template = t.hole(declared[0])
		err = t.byTemplate(&l, declared, nil)
	case o.bits > 0 && len(by) > 0:
		return o.bad(partitionOption, "%s and PARTITION BY exclude each other", partitionOption)
	case curve != nil && shard == nil && len(by) == 0:
		l.Partition, err = topBits(curve, t.Table, o)
		l.Sort = declared
	case shard == nil && len(by) == 0:
		l.Partition, l.Sort = declared[:1], declared[1:]
	default:
		l.Partition, err = t.partitionBy(declared, by)
		if shard != nil {
			l.Partition = slices.Insert(l.Partition, 0, *shard)
		}
		l.Sort = without(declared, func(id uint32) bool { return exact(l.Partition, id) })
	}
	if err != nil {
		return err
	}
	if t.Options, err = o.spread(&l, t.Table, declared, t.Options); err != nil {
		return err
	}
	if curve != nil {
		curve = slices.DeleteFunc(curve, func(d catalog.Dimension) bool {
			return !exact(l.Sort, axis.Column(d.Column))
		})
		if len(curve) == 0 {
			return sqlerr.New(sqlerr.InvalidTableDefinition,
				"a primary key in z-order needs a column that is not in its partition")
		}
		l.Sort = slices.Insert(slices.Clone(l.Sort), 0, catalog.Part{Kind: part.ZAddress, Curve: curve})
	}
	if err := t.typeKeys(&l, declared); err != nil {
		return err
	}
	declare(&l, declared)
	t.Primary = l
	return t.by.fitsBy(o, t.Table, &l)
}

// byTemplate lays out the table by the option partition_key: what its text tells of a row
// need not stand behind it.
func (t *NewTable) byTemplate(l *catalog.Layout, declared []catalog.Part, shard *catalog.Part) error {
	r := t.keys.templateOf(t.Table, shard)
	text, err := r.read()
	if err != nil {
		return err
	}
	if t.PrimaryKey == "" && r.names(text) {
		l.Partition, l.Sort = declared[:1], declared[1:] // until there is one
		return nil
	}
	l.Partition = []catalog.Part{text}
	l.Sort = without(declared, func(id uint32) bool { return r.determines(text, id) })
	return r.check(text, columnsOf(declared), "the primary key")
}

// columnsOf are the columns of parts, each one a column.
func columnsOf(parts []catalog.Part) []uint32 {
	ids := make([]uint32, len(parts))
	for i, p := range parts {
		ids[i] = p.Column
	}
	return ids
}

// without is a key but for some of its columns.
func without(key []catalog.Part, drop func(id uint32) bool) []catalog.Part {
	var out []catalog.Part
	for _, p := range key {
		if !drop(p.Column) {
			out = append(out, p)
		}
	}
	return out
}

// exact says whether one of some parts is a column itself. What is computed from a column
// does not tell its value.
func exact(parts []catalog.Part, id uint32) bool {
	return slices.ContainsFunc(parts, func(p catalog.Part) bool { return p.Is(id) })
}

// declare notes a key as it was declared, if the parts do not tell it.
func declare(l *catalog.Layout, declared []catalog.Part) {
	same := func(a, b catalog.Part) bool {
		return a.Is(b.Column) && a.Desc == b.Desc && a.NullsSwapped == b.NullsSwapped
	}
	if slices.EqualFunc(l.Parts(), declared, same) {
		return
	}
	for _, p := range declared {
		l.Key = append(l.Key, catalog.KeyColumn{ID: p.Column, Desc: p.Desc, NullsSwapped: p.NullsSwapped})
	}
}

// partitionBy are the parts that PARTITION BY HASH names: columns of the primary key, and
// the months or the like that times in it lie in.
func (t *NewTable) partitionBy(declared []catalog.Part, by []ast.KeyPart) ([]catalog.Part, error) {
	var out []catalog.Part
	for _, k := range by {
		p, err := t.partitionPart(k)
		if err != nil {
			return nil, err
		}
		c := t.Columns[t.Ordinal(p.Column)]
		if p.Plain() && exact(out, p.Column) {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q appears twice in partition key", c.Name).
				At(int(k.Pos))
		}
		at := slices.Index(columnsOf(declared), p.Column)
		switch {
		case at < 0:
			return nil, lacksPartition(t.Table, "PRIMARY KEY", c.Name)
		case p.Plain():
			p = declared[at]
		}
		out = append(out, p)
	}
	return out, nil
}

// partitionPart is one part of PARTITION BY HASH.
func (t *NewTable) partitionPart(k ast.KeyPart) (catalog.Part, error) {
	if k.Expr == nil {
		of, err := t.partitionColumn(k.Column, k.Pos)
		return catalog.Part{Column: of.ID}, err
	}
	pos := analyze.Start(k.Expr)
	f, args, ok := called(k.Expr)
	if !ok {
		var usages []string
		for _, f := range part.Functions() {
			usages = append(usages, f.Usage)
		}
		return catalog.Part{}, sqlerr.Unsupported("PARTITION BY an expression other than %s",
			strings.Join(usages, " or ")).At(int(pos))
	}
	for i := range args {
		if args[i].Kind == part.ColumnArg {
			var err error
			if args[i].Source, err = t.partitionColumn(args[i].Name, pos); err != nil {
				return catalog.Part{}, err
			}
		}
	}
	p, err := f.Make(args)
	if err != nil {
		return p, err.At(int(pos))
	}
	return p, nil
}

// partitionColumn is a column that PARTITION BY HASH names.
func (t *NewTable) partitionColumn(name string, pos ast.Pos) (part.Source, error) {
	i := t.Column(name)
	if i < 0 || t.Columns[i].Hidden {
		return part.Source{}, sqlerr.New(sqlerr.UndefinedColumn, "column %q named in partition key does not exist",
			name).At(int(pos))
	}
	return t.Source(t.Columns[i].ID), nil
}

// called takes a call of a function that makes parts apart. Of columns it gives the names.
func called(e ast.Expr) (f part.Function, args []part.Arg, ok bool) {
	call, ok := e.(*ast.Call)
	if !ok || call.Schema != "" && call.Schema != catalog.PgCatalogName {
		return f, nil, false
	}
	if f, ok = part.FunctionOf(call.Name); !ok {
		return f, nil, false
	}
	for _, a := range call.Args {
		switch a := a.(type) {
		case *ast.Column:
			if len(a.Parts) != 1 {
				return f, nil, false
			}
			args = append(args, part.Arg{Kind: part.ColumnArg, Source: part.Source{Name: a.Parts[0]}})
		case *ast.Literal:
			switch a.Kind {
			case ast.LiteralString:
				args = append(args, part.Arg{Kind: part.TextArg, Text: a.Text})
			case ast.LiteralInt, ast.LiteralNumeric:
				args = append(args, part.Arg{Kind: part.NumberArg, Text: a.Text})
			default:
				return f, nil, false
			}
		default:
			return f, nil, false
		}
	}
	return f, args, f.Takes(args)
}

// layOutIndex lays out an index over columns. All of them stand behind a shard or the text
// of a template: so the order of the index stays readable, and columns that are NULL, of
// which there is no text, are told apart.
func (b Builder) layOutIndex(x *catalog.Index, t *catalog.Table, declared []catalog.Part, o *keyOptions) error {
	l := &x.Layout
	l.Partition, l.Sort, l.Unique = declared[:1], declared[1:], x.Unique
	shard := indexShard(x, t, declared, o)
	switch {
	case o.has(templateOption):
		r := o.templateOf(t, shard)
		text, err := r.read()
		if err == nil {
			err = r.check(text, columnsOf(declared), "the index")
		}
		if err != nil {
			return err
		}
		l.Partition, l.Sort = []catalog.Part{text}, declared
	case shard != nil:
		l.Partition, l.Sort = []catalog.Part{*shard}, declared
	}
	var err error
	if x.Options, err = o.spread(l, t, declared, x.Options); err != nil {
		return err
	}
	declare(l, declared)
	l.Tie = tieBreaker(t, l.Parts())
	return b.fitsBy(o, t, l)
}

// layOutCurve lays out a Z-order index.
func (b Builder) layOutCurve(x *catalog.Index, t *catalog.Table, curve []catalog.Dimension, o *keyOptions) error {
	address := catalog.Part{Kind: part.ZAddress, Curve: curve}
	x.Layout = catalog.Layout{Sort: []catalog.Part{address}, Tie: tieBreaker(t, nil)}
	l := &x.Layout
	shard := indexShard(x, t, nil, o)
	switch {
	case o.has(templateOption):
		text, err := o.templateOf(t, shard).read()
		if err != nil {
			return err
		}
		l.Partition = []catalog.Part{text}
	case shard != nil:
		l.Partition = []catalog.Part{*shard}
	}
	if o.bits > 0 {
		var err error
		if l.Partition, err = topBits(curve, t, o); err != nil {
			return err
		}
	}
	if l.Partition != nil {
		for _, id := range address.Columns() {
			l.Key = append(l.Key, catalog.KeyColumn{ID: id})
		}
	}
	return b.fitsBy(o, t, l)
}

// topBits are the leading bits of a Z-address as the partition, as far as an option asks for it.
func topBits(curve []catalog.Dimension, t *catalog.Table, o *keyOptions) ([]catalog.Part, error) {
	if o.bits == 0 {
		return nil, nil
	}
	if has, _ := part.CurveBits(curve, t); o.bits > has {
		return nil, o.bad(partitionOption, "the z-address has %d bits, fewer than the %d of parameter %q", has, o.bits,
			partitionOption)
	}
	top := catalog.Part{Kind: part.ZAddress, Count: o.bits}
	for _, d := range curve {
		top.Of = append(top.Of, d.Column)
	}
	return []catalog.Part{top}, nil
}

// indexShard is the shard of an index, nil where it has none. Shards of a unique index are
// by its own columns, so that equal rows meet; those of another one are by the row, so that
// equal columns spread.
func indexShard(x *catalog.Index, t *catalog.Table, declared []catalog.Part, o *keyOptions) *catalog.Part {
	if o.shards == 0 {
		return nil
	}
	of := t.Primary.Columns()
	if x.Unique {
		of = columnsOf(declared)
	}
	return &catalog.Part{Kind: part.Shard, Of: of, Count: o.shards}
}

// reshard lays out the shards of an index by the table's present key.
func reshard(x *catalog.Index, t *catalog.Table) {
	if x.Unique {
		return
	}
	of := t.Primary.Columns()
	x.Layout.Partition = slices.Clone(x.Layout.Partition)
	for i := range x.Layout.Partition {
		p := &x.Layout.Partition[i]
		if p.Kind == part.Shard || p.Kind == part.Heavy {
			p.Of = of
		}
		p.Pieces = slices.Clone(p.Pieces)
		for j := range p.Pieces {
			if p.Pieces[j].Kind == part.Shard {
				p.Pieces[j].Of = of
			}
		}
	}
}

// Respell writes the templates of a table, in which a column has got another name, with
// that name. One over other columns stays as it was written.
func Respell(from, to *catalog.Table) *catalog.Table {
	t := *to
	t.Options, t.Indexes = respelled(from, to, t.Options), slices.Clone(t.Indexes)
	if _, counts := t.Options[ttlColumnOption]; counts {
		t.Options = maps.Clone(t.Options)
		t.Options[ttlColumnOption] = t.Columns[t.Ordinal(t.TTL.Column)].Name
	}
	for i := range t.Indexes {
		t.Indexes[i].Options = respelled(from, to, t.Indexes[i].Options)
	}
	return &t
}

func respelled(from, to *catalog.Table, options map[string]string) map[string]string {
	renamed := func(id uint32) bool { return from.Columns[from.Ordinal(id)].Name != to.Columns[to.Ordinal(id)].Name }
	for _, name := range []string{templateOption, sortOption} {
		text, there := options[name]
		if !there {
			continue
		}
		r := (&keyOptions{template: text}).templateOf(from, &catalog.Part{Kind: part.Shard})
		if p, err := r.Read(); err == nil && slices.ContainsFunc(p.Columns(), renamed) {
			options = maps.Clone(options)
			options[name] = to.TemplateText(p)
		}
	}
	return options
}
