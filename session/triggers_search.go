package session

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog/names"
	"zproxy/catalog/trigger"
	"zproxy/planner/firing"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/textsearch/config"
	"zproxy/types/textsearch/vector"
)

// searchTrigger is a call of tsvector_update_trigger or tsvector_update_trigger_column, which keep a tsvector of the
// texts of a row.
type searchTrigger struct {
	triggers
	*firing.Call
	column bool // the configuration is in a column
}

// run gives the row its tsvector.
func (t searchTrigger) run(ctx context.Context) (types.Row, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	at, err := t.find(t.Args[0], "tsvector column", types.OIDTSVector)
	if err != nil {
		return nil, err
	}
	of, err := t.config(t.Args[1])
	if err != nil {
		return nil, err
	}
	out := config.Collector{Config: of, Work: t.reach.context(ctx, nil)}
	changed := t.Event == trigger.Insert
	for _, name := range t.Args[2:] {
		text, err := t.find(name, "column", types.OIDText, types.OIDVarchar, types.OIDBpchar)
		if err != nil {
			return nil, err
		}
		changed = changed || slices.Contains(t.Set, text)
		if t.New[text].IsNull() {
			continue
		}
		if _, err := out.Add(t.New[text].Text()); err != nil {
			return nil, err
		}
	}
	if !changed {
		return t.New, nil
	}
	v, err := out.Vector()
	row := slices.Clone(t.New)
	row[at] = types.NewBytes(vector.Encode(v))
	return row, err
}

// check refuses triggers of other events.
func (t searchTrigger) check() error {
	wrong := ""
	switch {
	case !t.Row:
		wrong = "must be fired for row"
	case t.Timing != trigger.Before:
		wrong = "must be fired BEFORE event"
	case t.Event != trigger.Insert && t.Event != trigger.Update:
		wrong = "must be fired for INSERT or UPDATE"
	case len(t.Args) < 3:
		wrong = "arguments must be tsvector_field, ts_config, text_field1, ...)"
	default:
		return nil
	}
	return sqlerr.New(sqlerr.TriggerProtocolViolated, "tsvector_update_trigger: %s", wrong)
}

// find is the column of a name, which is of one of some types.
func (t searchTrigger) find(name, what string, of ...types.OID) (int, error) {
	at := t.Table.Column(name)
	if at < 0 || t.Table.Columns[at].Hidden {
		return 0, sqlerr.New(sqlerr.UndefinedColumn, "%s \"%s\" does not exist", what, name)
	}
	if !slices.Contains(of, t.Table.Columns[at].Type.OID) {
		called := "a character"
		if of[0] != types.OIDText {
			called = types.InfoOf(of[0]).Name
		}
		return 0, sqlerr.New(sqlerr.DatatypeMismatch, "column \"%s\" is not of %s type", name, called)
	}
	return at, nil
}

// config is the configuration that a name or the value of a column is.
func (t searchTrigger) config(name string) (*config.Config, error) {
	if t.column {
		at, err := t.find(name, "configuration column", types.OIDRegconfig)
		switch {
		case err != nil:
			return nil, err
		case t.New[at].IsNull():
			return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "configuration column \"%s\" must not be null", name)
		}
		return config.ByOID(uint32(t.New[at].Int()))
	}
	parts, err := names.Split(name)
	switch {
	case err != nil:
		return nil, err
	case len(parts) < 2:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue,
			"text search configuration name \"%s\" must be schema-qualified", strings.Join(parts, "."))
	}
	oid, err := t.settings.Env.Names.OIDOf(types.OIDRegconfig, name)
	if err != nil {
		return nil, err
	}
	return config.ByOID(oid)
}
