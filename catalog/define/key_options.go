package define

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// The WITH options that lay out keys.
const (
	shardsOption    = "shards"
	shardByOption   = "shard_by"
	templateOption  = part.TemplateOption
	partitionOption = "partition_bits"
	orderOption     = "key_order"
	heavyOption     = "heavy_keys" // values of the partition column that have shards: '{"7": 16}'
	itemKeysOption  = "item_keys"  // what keys are for other programs
	sortOption      = part.SortOption
)

// keyOptionNames are all of them.
var keyOptionNames = []string{shardsOption, shardByOption, templateOption, partitionOption, orderOption, heavyOption,
	itemKeysOption, sortOption}

// columnOrder is the key_order of a key that is ordered by its columns, one after the other.
const columnOrder = "columns"

// maxPartitionBits keeps a scan of a Z-order index from having to ask more partitions than
// one of shards.
const maxPartitionBits = 8

// maxRandomShards leaves room in a transaction: where the shard is random an inserted row
// takes a place there for each shard, of the 100 that DynamoDB has.
const maxRandomShards = 64

// keyOptions say how the keys of a table or an index are laid out.
type keyOptions struct {
	shards   int // 0: there are none
	random   bool
	template string
	bits     int  // of the Z-address, as a partition
	zorder   bool // of the primary key
	heavy    []heavyKey
	itemKeys string             // empty: binary
	sort     string             // the template of the text that sorts
	pos      map[string]ast.Pos // of the options that there are
}

// has says whether an option is there.
func (o *keyOptions) has(name string) bool {
	_, there := o.pos[name]
	return there
}

// bad is an error in the value of an option.
func (o *keyOptions) bad(name, format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "%s", fmt.Sprintf(format, args...)).At(int(o.pos[name]))
}

// read takes an option. It says false of one that lays out no keys.
func (o *keyOptions) read(from ast.Option) (bool, error) {
	if !slices.Contains(keyOptionNames, from.Name) {
		return false, nil
	}
	if o.has(from.Name) {
		return true, o.bad(from.Name, "parameter %q specified more than once", from.Name)
	}
	if o.pos == nil {
		o.pos = map[string]ast.Pos{}
	}
	o.pos[from.Name] = from.Pos
	var err error
	switch from.Name {
	case shardsOption:
		o.shards, err = integerOption(from, 2, catalog.MaxShards)
	case partitionOption:
		o.bits, err = integerOption(from, 1, maxPartitionBits)
	case templateOption:
		o.template = from.Value
	case heavyOption:
		err = o.readHeavy(from.Value)
	case itemKeysOption:
		o.itemKeys = strings.ToLower(from.Value)
		err = oneOf(from, binaryKeys, nativeKeys, textKeys)
	case sortOption:
		o.sort = from.Value
	case orderOption:
		switch strings.ToLower(from.Value) {
		case string(catalog.ZOrder):
			o.zorder = true
		case columnOrder:
		default:
			err = o.bad(from.Name, "invalid value for enum option %q: %s", from.Name, from.Value).
				WithDetail("Valid values are %q and %q.", columnOrder, catalog.ZOrder)
		}
	case shardByOption:
		switch strings.ToLower(from.Value) {
		case "random":
			o.random = true
		case "hash":
		default:
			err = o.bad(from.Name, "invalid value for enum option %q: %s", from.Name, from.Value).
				WithDetail("Valid values are \"hash\" and \"random\".")
		}
	}
	return true, err
}

// check wants options that go together.
func (o *keyOptions) check() error {
	switch {
	case o.has(shardByOption) && o.shards == 0:
		return o.bad(shardByOption, "parameter %q needs parameter %q", shardByOption, shardsOption)
	case o.random && o.shards > maxRandomShards:
		return o.bad(shardsOption, "value %d out of bounds for option %q with %s = 'random'",
			o.shards, shardsOption, shardByOption).
			WithDetail("Valid values are between \"2\" and \"%d\", since inserting a row looks at every shard.",
				maxRandomShards)
	}
	return nil
}

// forTable wants options that a table can have, whose key may be in Z-order.
func (o *keyOptions) forTable(zorder bool) error {
	switch {
	case o.has(partitionOption) && !zorder:
		return o.bad(partitionOption, "parameter %q is for z-order indexes and keys", partitionOption)
	case o.has(partitionOption) && (o.has(shardsOption) || o.has(templateOption)):
		return o.bad(partitionOption, "parameter %q excludes %q and %q", partitionOption, shardsOption, templateOption)
	}
	if err := o.heavyWith(zorder); err != nil {
		return err
	}
	if err := o.checkItemKeys(); err != nil {
		return err
	}
	return o.check()
}

// forIndex wants options that an index can have.
func (o *keyOptions) forIndex(method catalog.Method) error {
	zorder := method == catalog.ZOrder
	switch {
	case o.random:
		return sqlerr.Unsupported("%s = 'random' of an index", shardByOption).At(int(o.pos[shardByOption])).
			WithDetail("The row that an entry belongs to must be enough to find it.")
	case o.has(orderOption):
		return o.bad(orderOption, "parameter %q is for tables", orderOption)
	case o.has(itemKeysOption):
		return o.bad(itemKeysOption, "parameter %q is for tables", itemKeysOption)
	case o.has(sortOption):
		return o.bad(sortOption, "parameter %q is for tables", sortOption)
	case o.has(partitionOption) && !zorder:
		return o.bad(partitionOption, "parameter %q is for z-order indexes and keys", partitionOption)
	case o.has(partitionOption) && o.has(shardsOption):
		return o.bad(partitionOption, "parameters %q and %q exclude each other", partitionOption, shardsOption)
	case o.has(partitionOption) && o.has(templateOption):
		return o.bad(partitionOption, "parameters %q and %q exclude each other", partitionOption, templateOption)
	}
	if err := o.heavyWith(zorder); err != nil {
		return err
	}
	return o.check()
}

// SameKeyOptions says whether two lists of options lay out keys in the same way.
func SameKeyOptions(a, b map[string]string) bool {
	return !slices.ContainsFunc(keyOptionNames, func(name string) bool { return a[name] != b[name] })
}

// KeyOptions are those of some options that keys are made with, and the others.
func KeyOptions(options []ast.Option) (keys, others []ast.Option) {
	for _, o := range options {
		if slices.Contains(keyOptionNames, o.Name) {
			keys = append(keys, o)
		} else {
			others = append(others, o)
		}
	}
	return keys, others
}

// ChangeKeys sets options that keys are made with, or takes them away, and lays the table out by
// them. It must have no primary key: what that one is laid out by is settled when it is added.
func (a *Alter) ChangeKeys(options []ast.Option, set bool) (*catalog.Table, error) {
	if a.Table.PrimaryKey != "" {
		return nil, sqlerr.Unsupported("changing parameter %q of a table with a primary key", options[0].Name).
			At(int(options[0].Pos)).
			WithDetail("The keys of its rows depend on it.").
			WithHint("A statement that changes nothing else moves the rows to their new keys while others use them.")
	}
	var given keyOptions
	for _, o := range options {
		if !set && o.Value != "" {
			return nil, resetValue(o)
		}
		if _, err := given.read(o); set && err != nil {
			return nil, err
		}
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	moved.Options = maps.Clone(moved.Options)
	if moved.Options == nil {
		moved.Options = map[string]string{}
	}
	for _, o := range options {
		if delete(moved.Options, o.Name); set {
			moved.Options[o.Name] = o.Value
		}
	}
	return a.byRowID(moved)
}
