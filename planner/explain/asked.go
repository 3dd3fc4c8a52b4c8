package explain

import (
	"maps"
	"slices"
	"strings"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Asked is what the parentheses of EXPLAIN say.
type Asked struct {
	Analyze, Why, Costs, Timing, Summary, Verbose, Settings, Buffers, Generic bool

	Format  Format
	ignored []string // options that are on, and that nothing is told for
}

// switches are the options that are on or off.
var switches = map[string]func(o *Asked, on bool){
	"analyze":      func(o *Asked, on bool) { o.Analyze = on },
	"why":          func(o *Asked, on bool) { o.Why = on },
	"costs":        func(o *Asked, on bool) { o.Costs = on },
	"timing":       func(o *Asked, on bool) { o.Timing = on },
	"summary":      func(o *Asked, on bool) { o.Summary = on },
	"verbose":      func(o *Asked, on bool) { o.Verbose = on },
	"settings":     func(o *Asked, on bool) { o.Settings = on },
	"buffers":      func(o *Asked, on bool) { o.Buffers = on },
	"generic_plan": func(o *Asked, on bool) { o.Generic = on },
	"wal":          nil,
}

// AskedBy reads options, of which the last one of a name counts.
func AskedBy(list []ast.Option) (Asked, error) {
	out, given := Asked{Costs: true}, map[string]bool{}
	for _, o := range list {
		set, isSwitch := switches[o.Name]
		switch {
		case isSwitch:
			on, err := switchedOn(o)
			if err != nil {
				return out, err
			}
			given[o.Name] = on
			if set != nil {
				set(&out, on)
			}
		case o.Name != "format":
			return out, sqlerr.New(sqlerr.SyntaxError, "unrecognized EXPLAIN option %q", o.Name).At(int(o.Pos))
		case o.Value == "":
			return out, sqlerr.New(sqlerr.SyntaxError, "format requires a parameter")
		default:
			if out.Format, isSwitch = FormatNamed(o.Value); !isSwitch {
				return out, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized value for EXPLAIN option %q: %q",
					o.Name, o.Value).At(int(o.Pos))
			}
		}
	}
	return out, out.complete(given)
}

// switchedOn reads the value of a switch.
func switchedOn(o ast.Option) (bool, error) {
	switch strings.ToLower(o.Value) {
	case "", "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
}

// complete gives the options that were not said their defaults, and refuses those that need others.
func (o *Asked) complete(given map[string]bool) error {
	if _, ok := given["timing"]; !ok {
		o.Timing = o.Analyze
	}
	if _, ok := given["summary"]; !ok {
		o.Summary = o.Analyze
	}
	for _, name := range []string{"wal", "timing"} {
		if given[name] && !o.Analyze {
			return sqlerr.New(sqlerr.InvalidParameterValue, "EXPLAIN option %s requires ANALYZE", strings.ToUpper(name))
		}
	}
	if o.Analyze && o.Generic {
		return sqlerr.New(sqlerr.InvalidParameterValue,
			"EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] && switches[name] == nil {
			o.ignored = append(o.ignored, name)
		}
	}
	return nil
}

// Notices tell of options without effect.
func (o *Asked) Notices() (out []*sqlerr.Error) {
	for _, name := range o.ignored {
		out = append(out, sqlerr.Notice(sqlerr.Warning, "EXPLAIN option %s has no effect", strings.ToUpper(name)))
	}
	return out
}
