package define

import (
	"maps"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/consistency"
	"zproxy/catalog/dynamic"
	"zproxy/catalog/interleave"
	"zproxy/catalog/keytext"
	"zproxy/catalog/rollover"
	"zproxy/catalog/staleness"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// setOptions takes the WITH options of a new table.
func (t *NewTable) setOptions(options []ast.Option) error {
	var others []ast.Option
	for _, o := range options {
		laysOut, err := t.keys.read(o)
		if !laysOut && err == nil {
			laysOut, err = t.parent.read(o)
		}
		if !laysOut && err == nil {
			laysOut, err = keyTextOption(o)
		}
		switch {
		case err != nil:
			return err
		case laysOut:
			t.Options[o.Name] = o.Value
		default:
			others = append(others, o)
		}
	}
	if err := t.keys.check(); err != nil {
		return err
	}
	if err := t.parent.check(); err != nil {
		return err
	}
	return tableOptions(t.Table, others)
}

// tableOptions are the WITH options that a table accepts at any time, and the values of
// them.
func tableOptions(t *catalog.Table, options []ast.Option) error {
	if err := once(options); err != nil {
		return err
	}
	for _, o := range options {
		if catalog.IsCapacityOption(o.Name) {
			if err := capacityOption(o); err != nil {
				return err
			}
			t.Options[o.Name] = o.Value
			continue
		}
		if rollover.IsOption(o.Name) {
			if err := scheduleOption(o); err != nil {
				return err
			}
			t.Options[o.Name] = o.Value
			continue
		}
		switch o.Name {
		case consistency.Option:
			if err := oneOf(o, consistency.Strong, consistency.Eventual); err != nil {
				return err
			}
		case catalog.MutabilityOption:
			if err := mutability(o); err != nil {
				return err
			}
		case dynamic.Option:
			if err := dynamicOption(o); err != nil {
				return err
			}
		case staleness.Option:
			if !staleness.Valid(o.Value) {
				return invalidStaleness(o)
			}
		case celltime.VersionsOption:
			if err := versions(t, o); err != nil {
				return err
			}
		case celltime.RetentionOption:
			if new(catalog.TTL).Parse(o.Value) != nil {
				return badLifetime(options, o.Name, o.Value)
			}
		case ttlOption, ttlColumnOption: // see live, when the columns are known
		case interleave.Option, onDeleteOption:
			return sqlerr.Unsupported("changing the parent of a table").At(int(o.Pos))
		case keytext.KeyOption, keytext.PartitionOption:
			return sqlerr.Unsupported("changing parameter %q of a table", o.Name).At(int(o.Pos))
		case "oids":
			if with, ok := boolOption(o); !ok || with {
				return sqlerr.New(sqlerr.FeatureNotSupported,
					"tables declared WITH OIDS are not supported").At(int(o.Pos))
			}
			continue
		default:
			if err := storageOption(o, ofTable); err != nil {
				return err
			}
		}
		t.Options[o.Name] = o.Value
	}
	return capacityFits(t.Options, options)
}

func invalidStaleness(o ast.Option) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for option %q: %s", o.Name, o.Value).
		At(int(o.Pos)).
		WithHint("Valid values are times such as 500ms, 5s or 1m, of at most an hour; 0 keeps no rows.")
}

// SetOptions changes WITH options of the table that keys are not made with.
func (a *Alter) SetOptions(options []ast.Option) (*catalog.Table, error) {
	t := *a.Table
	t.Options = maps.Clone(t.Options)
	if t.Options == nil {
		t.Options = map[string]string{}
	}
	if err := tableOptions(&t, options); err != nil {
		return nil, err
	}
	if err := scheduled(&t, options); err != nil {
		return nil, err
	}
	return a.relive(&t, options)
}

// ResetOptions makes WITH options of the table what they are by default.
func (a *Alter) ResetOptions(options []ast.Option) (*catalog.Table, error) {
	for _, o := range options {
		if o.Value != "" {
			return nil, resetValue(o)
		}
	}
	t := *a.Table
	t.Options = maps.Clone(t.Options)
	for _, o := range options {
		delete(t.Options, o.Name)
	}
	if err := capacityFits(t.Options, options); err != nil {
		return nil, err
	}
	if err := scheduled(&t, options); err != nil {
		return nil, err
	}
	return a.relive(&t, options)
}
