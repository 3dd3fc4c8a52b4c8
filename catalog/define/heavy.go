package define

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// maxHeavyKeys keeps the description of a table small.
const maxHeavyKeys = 100

// heavyKey is a member of that object.
type heavyKey struct {
	value  string
	shards int
}

// readHeavy reads the object. Which values it names only their column tells.
func (o *keyOptions) readHeavy(text string) error {
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	if first, err := in.Token(); err != nil || first != json.Delim('{') {
		return o.badHeavy(text, "it is no JSON object")
	}
	for in.More() {
		name, err := in.Token()
		var count any
		if err == nil {
			err = in.Decode(&count)
		}
		if err != nil {
			return o.badHeavy(text, "it is no JSON object")
		}
		number, _ := count.(json.Number)
		n, err := strconv.Atoi(number.String())
		if err != nil || n < 2 || n > catalog.MaxShards {
			return o.badHeavy(text, "the shards of \"%s\" are not a number from 2 to %d", name, catalog.MaxShards)
		}
		o.heavy = append(o.heavy, heavyKey{name.(string), n}) // the decoder has no other names
	}
	_, err := in.Token()
	switch _, behind := in.Token(); {
	case err != nil, !errors.Is(behind, io.EOF):
		return o.badHeavy(text, "it is no JSON object")
	case len(o.heavy) == 0:
		return o.badHeavy(text, "it names no key")
	case len(o.heavy) > maxHeavyKeys:
		return o.badHeavy(text, "it names %d keys, more than %d", len(o.heavy), maxHeavyKeys)
	}
	return nil
}

func (o *keyOptions) badHeavy(text, format string, args ...any) *sqlerr.Error {
	return o.bad(heavyOption, "invalid %s \"%s\": %s", heavyOption, text, fmt.Sprintf(format, args...)).
		WithHint("Write values of the partition column, and how many shards each has: %s = '{\"7\": 16}'.", heavyOption)
}

// heavyWith refuses what else makes partitions.
func (o *keyOptions) heavyWith(zorder bool) error {
	for _, name := range []string{shardsOption, templateOption, partitionOption} {
		if o.has(heavyOption) && o.has(name) {
			return o.bad(heavyOption, "parameters %q and %q exclude each other", heavyOption, name)
		}
	}
	if o.has(heavyOption) && zorder {
		return o.bad(heavyOption, "parameter %q is for keys that are ordered by columns", heavyOption)
	}
	return nil
}

// spread lets the rows with heavy values of the partition column have shards, where the options name any. It gives the
// options back with the values as they are printed, in their order, so that every session reads the same ones.
func (o *keyOptions) spread(l *catalog.Layout, t *catalog.Table, declared []catalog.Part,
	options map[string]string) (map[string]string, error) {
	if len(o.heavy) == 0 {
		return options, nil
	}
	if len(l.Partition) != 1 || !l.Partition[0].Plain() {
		return nil, o.bad(heavyOption, "parameter %q needs a partition of one column", heavyOption)
	}
	of := t.Source(l.Partition[0].Column)
	p := catalog.Part{Kind: part.Heavy, Column: of.ID, Of: t.Primary.Columns()}
	if l.Unique {
		p.Of = columnsOf(declared)
	}
	if slices.Equal(p.Of, []uint32{of.ID}) {
		return nil, o.bad(heavyOption, "parameter %q needs a key of more columns than %q", heavyOption, of.Name).
			WithDetail("No two rows have the same value of it.")
	}
	for _, k := range o.heavy {
		v, err := types.ParseText(k.value, of.Type, &types.Env{})
		if err == nil {
			v, err = types.ApplyMod(v, of.Type, false, &types.Env{})
		}
		if err != nil {
			return nil, bind.At(err, o.pos[heavyOption])
		}
		if p.SetHeavy(v, k.shards) {
			return nil, o.bad(heavyOption, "parameter %q names the same value of column %q more than once: %s", heavyOption,
				of.Name, types.FormatText(v, of.Type, &types.Env{}))
		}
	}
	l.Partition = append(slices.Clip(l.Partition), p)
	options = maps.Clone(options)
	options[heavyOption] = p.HeavyText(of.Type)
	return options, nil
}
