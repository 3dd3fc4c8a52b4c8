package define

import (
	"maps"
	"reflect"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/dynamic"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Relaid is a table or an index that is to get other keys: an index with these takes its place when it is built. Index
// is nil where the keys stay as they are. Options are those that make the keys then; an empty value takes one away.
type Relaid struct {
	Index   *catalog.Index
	Options map[string]string
}

// RelayCommand is the one command of a statement if it changes nothing but options that make keys.
func RelayCommand(commands []ast.AlterCommand) (ast.AlterCommand, bool) {
	cmd := commands[0]
	if len(commands) > 1 || cmd.Kind != ast.SetOptions && cmd.Kind != ast.ResetOptions {
		return cmd, false
	}
	keys, others := KeyOptions(cmd.Options)
	return cmd, len(keys) > 0 && len(others) == 0
}

// changed are the options of before with some set, or taken away, and what that changes of them.
func changed(before map[string]string, options []ast.Option, set bool) (after, change map[string]string, err error) {
	if err := once(options); err != nil {
		return nil, nil, err
	}
	after, change = maps.Clone(before), map[string]string{}
	if after == nil {
		after = map[string]string{}
	}
	for _, o := range options {
		switch {
		case set:
			after[o.Name], change[o.Name] = o.Value, o.Value
		case o.Value != "":
			return nil, nil, resetValue(o)
		default:
			delete(after, o.Name)
			change[o.Name] = ""
		}
	}
	return after, change, nil
}

// readKeys reads the options that make keys, those that a statement gives with their positions.
func readKeys(options map[string]string, given []ast.Option) (*keyOptions, error) {
	keys := &keyOptions{}
	for _, name := range keyOptionNames {
		value, there := options[name]
		if !there {
			continue
		}
		o := ast.Option{Name: name, Value: value, Pos: -1}
		if at := slices.IndexFunc(given, func(o ast.Option) bool { return o.Name == name }); at >= 0 {
			o.Pos = given[at].Pos
		}
		if _, err := keys.read(o); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// Relay lays out the rows of a table with a primary key by other options. The index holds all columns, so that it can
// be the table.
func (a *Alter) Relay(options []ast.Option, set bool) (*Relaid, error) {
	after, change, err := changed(a.Table.Options, options, set)
	if err != nil {
		return nil, err
	}
	if err := a.keepsKeys(); err != nil {
		return nil, err
	}
	t := *a.Table
	t.Options = after
	to := &NewTable{Table: &t, by: a.Builder}
	keys, err := readKeys(after, options)
	if err != nil {
		return nil, err
	}
	to.keys = *keys
	old := &a.Table.Primary
	curve := old.Curve()
	pos := int(options[0].Pos)
	switch {
	case keys.zorder != (curve != nil):
		return nil, sqlerr.Unsupported("changing parameter %q of a table with a primary key", orderOption).At(pos).
			WithHint("ALTER TABLE ... DROP CONSTRAINT ..., SET (...), ADD PRIMARY KEY (...) makes the keys anew.")
	case keys.random, old.Random() != nil:
		return nil, sqlerr.Unsupported("changing random shards of a table with a primary key").At(pos).
			WithDetail("The key of a row does not follow from its columns.")
	case celltime.Has(a.Table):
		return nil, sqlerr.Unsupported("changing the keys of a table whose cells have timestamps").At(pos)
	}
	if err := keys.forTable(curve != nil); err != nil {
		return nil, err
	}
	declared := declaredParts(old)
	if a.Table.Partitioned() {
		err = to.reshard(old, declared)
	} else {
		err = to.layOut(declared, nil, slices.Clone(curve))
	}
	if err != nil || reflect.DeepEqual(&t.Primary, old) {
		return &Relaid{Options: change}, err
	}
	x := &catalog.Index{Name: a.Table.PrimaryKey, Method: (catalog.TableIndex{Table: a.Table}).Method(), Unique: true,
		Layout: t.Primary, Keys: len(declared), Covers: true,
		Options: map[string]string{dynamic.CoveredOption: dynamic.CoveredDynamic}}
	for name, value := range t.Options {
		if keepsSpace(name) {
			x.Options[name] = value
		}
	}
	return &Relaid{x, written(change, t.Options)}, nil
}

// written are changed options as they are kept.
func written(change, kept map[string]string) map[string]string {
	for name := range change {
		change[name] = kept[name]
	}
	return change
}

// declaredParts are the columns of a key as parts.
func declaredParts(l *catalog.Layout) []catalog.Part {
	var out []catalog.Part
	for _, c := range l.Declared() {
		out = append(out, catalog.Part{Column: c.ID, Desc: c.Desc, NullsSwapped: c.NullsSwapped})
	}
	return out
}

// reshard lays out a table with PARTITION BY with other shards in front of its parts.
func (t *NewTable) reshard(old *catalog.Layout, declared []catalog.Part) error {
	if t.keys.has(templateOption) {
		return t.keys.bad(templateOption, "%s and PARTITION BY exclude each other", templateOption)
	}
	l := *old
	l.Partition = slices.DeleteFunc(slices.Clone(old.Partition), func(p catalog.Part) bool { return p.Sharded() })
	if t.keys.shards > 0 {
		shard := catalog.Part{Kind: part.Shard, Of: columnsOf(declared), Count: t.keys.shards}
		l.Partition = slices.Insert(l.Partition, 0, shard)
	}
	var err error
	if t.Options, err = t.keys.spread(&l, t.Table, declared, t.Options); err != nil {
		return err
	}
	l.Key = nil
	declare(&l, declared)
	t.Primary = l
	return t.by.fitsBy(&t.keys, t.Table, &l)
}

// RelayIndex lays out the entries of an index by other options.
func (b Builder) RelayIndex(t *catalog.Table, x *catalog.Index, options []ast.Option, set bool) (*Relaid, error) {
	after, change, err := changed(x.Options, options, set)
	if err != nil {
		return nil, err
	}
	if x.Space.In != nil {
		return nil, sqlerr.Unsupported("changing the keys of an index that is interleaved").At(int(options[0].Pos))
	}
	keys, err := readKeys(after, options)
	if err == nil {
		err = keys.forIndex(x.Method)
	}
	if err != nil {
		return nil, err
	}
	out := *x
	out.Options = after
	out.Layout = catalog.Layout{NullsEqual: x.Layout.NullsEqual, Timing: x.Layout.Timing}
	if curve := x.Layout.Curve(); curve != nil {
		err = b.layOutCurve(&out, t, slices.Clone(curve), keys)
	} else {
		err = b.layOutIndex(&out, t, declaredParts(&x.Layout), keys)
	}
	if err != nil || reflect.DeepEqual(out.Layout, x.Layout) {
		return &Relaid{Options: change}, err
	}
	change, out.Options = written(change, out.Options), x.Options
	return &Relaid{&out, change}, nil
}
